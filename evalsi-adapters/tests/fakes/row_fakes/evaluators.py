"""Evaluators for trainers that ask for one rollout at a time."""

from typing import ClassVar

from evalsi.core import Batch, Need, SandboxUnavailable, Skipped


class IsRight:
    """Whether the output is the reference; `away` fails, and no reference skips."""

    bounded = True
    reads = ("output", "reference")

    def score(self, record):
        if record.output == "away":
            raise SandboxUnavailable("no rung is usable")
        if record.reference is None:
            return Skipped("no reference")
        return record.output == record.reference


class Turns:
    """The number of turns that the row tells; skipped where it does not."""

    bounded = True
    reads = ("metadata.num_turns",)

    def score(self, record):
        turns = record.metadata.get("num_turns")
        return Skipped("no turns") if turns is None else float(turns)


class Served:
    """Asks a server for many at once, as a reward model does; keeps how many."""

    bounded = True
    reads = ("output",)
    needs = frozenset({Need.HTTP})
    batch = Batch(max_records=64, wait_ms=200)
    asked: ClassVar[list[int]] = []

    async def ascore_batch(self, records):
        self.asked.append(len(records))
        return [float(record.output) for record in records]


class Pairs:
    bounded = True
    reads = ("output",)

    def score_group(self, records):
        return [0.0 for _ in records]
