"""The conformance kit finds what sources do wrong."""

import itertools
from pathlib import Path

import pytest

from evalsi.training.sources import Directory, Found, SourceError
from evalsi.training.testing import SourceTrial, check_source, source_checks


class Good:
    """Folders of a directory, of which any file is a checkpoint."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def scan(self, done):
        return [one for one in Directory(self.folder, settle=0).scan() if one.step not in done]


class Unordered(Good):
    def scan(self, done):
        return super().scan(done)[::-1]


class Greedy(Good):
    def scan(self, done):
        return super().scan(())


class States(Good):
    def scan(self, done):
        folders = sorted(self.folder.glob("checkpoint-*"), key=lambda one: int(one.name[11:]))
        found = [Found(int(one.name[11:]), str(one)) for one in folders]
        return [one for one in found if one.step not in done]


class Once(Good):
    def scan(self, done):
        found = getattr(self, "found", None)
        self.found = super().scan(done)
        return self.found if found is None else []


class Silent(Good):
    def scan(self, done):
        try:
            return super().scan(done)
        except SourceError:
            return []


class Elsewhere(Good):
    def scan(self, done):
        return [Found(one.step, str(self.folder)) for one in super().scan(done)]


def trial_of(kind, folder):
    count = itertools.count()

    class Place:
        def __init__(self):
            self.run = folder / f"run-{next(count)}"

        def source(self):
            return kind(self.run)

        def put(self, step, files):
            place = self.run / f"checkpoint-{step}"
            place.mkdir(parents=True)
            for name, data in files.items():
                (place / name).write_bytes(data)

    return SourceTrial(Place, away=kind(folder / "no-such-mount" / "run"))


@pytest.mark.parametrize(
    ("kind", "checks"),
    [
        (lambda folder: Directory(folder, settle=0), []),
        (Good, []),
        (
            Unordered,
            ["steps-come-in-the-order-of-their-numbers", "a-late-older-step-is-found"],
        ),
        (Greedy, ["what-is-done-is-left-out"]),
        (
            States,
            ["a-state-of-the-trainer-is-none", "a-place-that-is-away-is-a-source-error"],
        ),
        (Once, ["a-late-older-step-is-found", "a-second-look-finds-the-same"]),
        (Silent, ["a-place-that-is-away-is-a-source-error"]),
        (Elsewhere, ["what-is-found-is-there"]),
    ],
    ids=["directory", "good", "unordered", "greedy", "states", "once", "silent", "elsewhere"],
)
def test_each_fault_is_found(tmp_path, kind, checks):
    assert [finding.check for finding in check_source(trial_of(kind, tmp_path))] == checks


@pytest.mark.parametrize("check", source_checks(), ids=lambda check: check.name)
def test_a_directory_keeps_every_promise(tmp_path, check):
    check.run(trial_of(lambda folder: Directory(folder, settle=0), tmp_path))
