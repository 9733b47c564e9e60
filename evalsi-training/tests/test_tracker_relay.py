"""The training's own writer relays what anybody evaluated."""

import subprocess
import sys
import threading
import time

import pytest
from tracker_kit import BASE, SAME, Board, evaluated

from evalsi.training.trackers import Outbox, Relay, Writer, relay
from evalsi.training.trackers.relaying import logged_by, reported_to
from evalsi.training.trackers.testing import TrackerTrial, check_tracker, tracker_checks


def test_a_plain_loop_charts_what_a_watcher_leaves(tmp_path):
    outbox, rows = evaluated(tmp_path, {"base": BASE}), []

    with relay(outbox.folder.parent, lambda row, step: rows.append((step, row))) as results:
        results.look()
        evaluated(tmp_path, {1: SAME})
        results.look()
        results.look()

    assert [step for step, _ in rows] == [0, 1]
    assert rows[1][1]["evalsi/step"] == 1.0


def test_what_came_last_is_charted_at_the_end(tmp_path):
    rows = []
    with relay(tmp_path / "run", lambda row, step: rows.append(step)) as results:
        results.look()
        evaluated(tmp_path, {"base": BASE})

    assert rows == [0]


def test_a_writer_that_raises_is_logged_and_gets_it_later(tmp_path, caplog):
    outbox, broken = evaluated(tmp_path, {"base": BASE}), [True]
    rows = []

    def write(row, step):
        if broken:
            broken.pop()
            raise RuntimeError("the disk is full")
        rows.append(step)

    with relay(outbox.folder.parent, write) as results:
        results.look()
        assert rows == []

    assert rows == [0]
    assert "the disk is full" in caplog.text


def test_a_training_that_goes_on_elsewhere_has_its_results_there_too(tmp_path):
    outbox, rows = evaluated(tmp_path, {"base": BASE}), []
    for name in ("run 1", "run 1", "run 2"):
        write = rows.append
        with relay(
            outbox.folder.parent, lambda row, step, write=write: write(step), destination=name
        ):
            pass

    assert rows == [0, 0]


class Slow(Board):
    def __init__(self):
        super().__init__()
        self.go = threading.Event()

    def publish(self, messages):
        assert self.go.wait(30)
        yield from super().publish(messages)


def test_a_tracker_that_is_slow_delays_no_step(tmp_path):
    board = Slow()
    results = Relay(evaluated(tmp_path, {"base": BASE, 1: SAME}), [board], beside=True)
    begun = time.monotonic()
    for _ in range(1000):
        results.look()
    took = time.monotonic() - begun
    board.go.set()
    results.close()

    assert took < 5
    assert board.steps == [0, 1]
    assert board.closed


def test_looking_where_nothing_is_new_reads_nothing(tmp_path, monkeypatch):
    results = Relay(evaluated(tmp_path, {"base": BASE}), [Board()])
    results.look()
    results.look()  # the first one left a file of receipts
    monkeypatch.setattr(Outbox, "messages", lambda _: pytest.fail("it was read"))

    results.look()


def test_names_that_no_tracker_has_are_told_and_left_out(tmp_path, caplog):
    assert reported_to(["comet_ml"], str(tmp_path)) == []
    assert "not relayed to comet_ml" in caplog.text


class Logger:
    """As Lightning's loggers are."""

    name, version = "out", "version_0"

    def __init__(self):
        self.logged = []

    def log_metrics(self, metrics, step):
        self.logged.append((step, metrics))


def test_a_lightning_logger_is_a_tracker(tmp_path):
    logger = Logger()

    with Relay(evaluated(tmp_path, {"base": BASE}), logged_by([logger])):
        pass

    assert [step for step, _ in logger.logged] == [0]


def test_a_logger_that_breaks_ends_no_training(caplog):
    class Broken(Logger):
        @property
        def experiment(self):
            raise RuntimeError("its server is down")

    assert len(logged_by([Broken(), Logger()])) == 1
    assert "its server is down" in caplog.text


def trial(kind):
    points = []

    def write(row, step):
        points.append((step, row["evalsi/trial"]))

    return TrackerTrial(lambda: kind(write, "place"), lambda: points)


class Forgets(Writer):
    def publish(self, messages):
        return iter(list(super().publish(messages))[:1])


class Twice(Writer):
    def publish(self, messages):
        for message in super().publish(messages):
            self._write(message.row(), message.at)
            yield message


class Moves(Writer):
    def __init__(self, write, destination):
        super().__init__(write, f"{destination} {id(write)} {time.monotonic_ns()}")


class NeverOlder(Writer):
    last = -1

    def publish(self, messages):
        for message in messages:
            if message.at >= NeverOlder.last:
                NeverOlder.last = message.at
                list(super().publish([message]))
            yield message


class Lies(Writer):
    def has(self, message):
        return False


@pytest.mark.parametrize(
    ("kind", "finds"),
    [
        (Writer, None),
        (Forgets, "each-message-is-given-back"),
        (Twice, "what-was-given-back-is-there"),
        (Moves, "its-destination-stays"),
        (NeverOlder, "an-older-step-is-taken"),
        (Lies, "what-is-asked-is-true"),
    ],
)
def test_the_kit_finds_what_a_tracker_does_wrong(kind, finds):
    found = {finding.check for finding in check_tracker(trial(kind))}

    assert found == set() if finds is None else finds in found


def test_the_kit_finds_a_place_that_is_not_there_and_takes_everything():
    kept = trial(Writer)
    gone = TrackerTrial(kept.make, kept.held, unreachable=kept.make)

    assert [f.check for f in check_tracker(gone)] == ["what-is-unreachable-is-a-tracker-error"]
    assert "it-can-be-closed-twice" in [check.name for check in tracker_checks()]


def test_importing_the_trackers_imports_none_of_their_libraries():
    text = (
        "import sys, evalsi.training.trackers as _;"
        "print(*sorted({'mlflow', 'wandb', 'tensorboard', 'torch', 'numpy'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)

    assert done.stdout == "\n"
