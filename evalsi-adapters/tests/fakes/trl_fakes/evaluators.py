"""Evaluators whose answer follows from the output at once."""

from evalsi.core import SandboxUnavailable, Score, Skipped


class Says:
    """The number in the output; `skip` and `away` do that. Counts its calls."""

    bounded = True
    reads = ("output",)
    calls = 0

    def score(self, record):
        type(self).calls += 1
        if record.output == "skip":
            return Skipped("it said so")
        if record.output == "away":
            raise SandboxUnavailable("no rung is usable")
        return Score(float(record.output), stable=False)  # so that no cache answers


class Letters:
    bounded = True
    reads = ("output",)

    def score(self, record):
        return sum(map(str.isalpha, record.output)) / max(1, len(record.output))


class Flaky(Letters):
    """Away for outputs whose first character has an odd number: about half of what is random."""

    def score(self, record):
        if is_away(record.output):
            raise SandboxUnavailable("no rung is usable")
        return super().score(record)


class Settings:
    bounded = True
    reads = ("metadata.settings",)

    def score(self, record):
        settings = record.metadata["settings"]
        return float(len(settings) + len(settings.get("in", {})) - ("in" in settings))


class Tokens:
    bounded = True
    reads = ("output_tokens",)

    def score(self, record):
        return float(record.output_tokens)


class Reference:
    bounded = True
    reads = ("reference",)

    def score(self, record):
        return float(len(record.reference))


class GroupSize:
    bounded = True
    reads = ("output",)

    def score_group(self, records):
        return [float(len(records)) for _ in records]


def is_away(output):
    return bool(output) and ord(output[0]) % 2 == 1
