"""From outbox to tracker: nothing lost, nothing sent again once confirmed."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tracker_kit import BASE, FELL, SAME, Board, evaluated, receipts

from evalsi.training.trackers import Delivery, Outbox
from evalsi.training.trackers.delivery import TRIES


class Clock:
    def __init__(self):
        self.now = 0.0
        self.slept = []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock():
    return Clock()


def delivery(outbox, board, clock, told=None):
    tell = (lambda _: None) if told is None else told.append
    return Delivery(outbox, board, tell, clock, clock.sleep)


def test_what_is_confirmed_is_not_sent_again_by_a_later_process(tmp_path, clock):
    outbox = evaluated(tmp_path, {"base": BASE, 1: SAME})
    board = Board()

    delivery(outbox, board, clock).look()
    delivery(Outbox(outbox.folder.parent), board, clock).look()

    assert board.steps == [0, 1]


def test_an_older_step_that_arrives_late_is_sent(tmp_path, clock):
    outbox = evaluated(tmp_path, {"base": BASE, 300: SAME})
    board = Board()
    sending = delivery(outbox, board, clock)
    sending.look()

    evaluated(tmp_path, {200: SAME})
    sending.look()

    assert board.steps == [0, 300, 200]


def test_a_changed_step_is_sent_anew_and_marked(tmp_path, clock):
    outbox = evaluated(tmp_path, {"base": BASE, 1: SAME})
    board = Board()
    sending = delivery(outbox, board, clock)
    sending.look()

    evaluated(tmp_path, {1: FELL})
    sending.look()
    evaluated(tmp_path, {1: SAME})
    sending.look()

    assert board.steps == [0, 1, 1, 1]
    marks = [row.get("evalsi/revision") for _, row in board.rows]
    assert marks == [None, None, 1.0, 2.0]


def test_two_places_have_receipts_of_their_own(tmp_path, clock):
    outbox = evaluated(tmp_path, {"base": BASE})
    first, second = Board(), Board()
    second.destination = "board 2"

    delivery(outbox, first, clock).look()
    delivery(outbox, second, clock).look()

    assert (first.steps, second.steps) == ([0], [0])


def test_a_tracker_that_is_down_is_told_once_and_gets_all_when_it_is_up(tmp_path, clock):
    outbox = evaluated(tmp_path, {"base": BASE, 1: SAME})
    board, told = Board(down="it is down"), []
    sending = delivery(outbox, board, clock, told)
    for _ in range(5):
        sending.look()
        clock.now += 600
    board.down = ""
    sending.look()

    assert told == ["it is down"]
    assert board.steps == [0, 1]


def test_after_a_failure_the_pause_doubles(tmp_path, clock):
    outbox = evaluated(tmp_path, {"base": BASE})
    asked = []

    class Counting(Board):
        def publish(self, messages):
            asked.append(clock.now)
            return super().publish(messages)

    sending = delivery(outbox, Counting(down="it is down"), clock)
    for _ in range(700):
        sending.look()
        clock.now += 1

    assert asked == [0, 1, 3, 7, 15, 31, 63, 127, 255, 511]


@pytest.mark.parametrize("raised", [RuntimeError("a stranger's"), OSError("no route")])
def test_whatever_a_tracker_raises_ends_nothing(tmp_path, clock, raised):
    class Breaks(Board):
        def publish(self, messages):
            raise raised

    told = []
    sending = delivery(evaluated(tmp_path, {"base": BASE}), Breaks(), clock, told)

    sending.look()

    assert told == [f"board 1: {type(raised).__name__}: {raised}"]


def test_the_end_tries_a_few_times_and_closes(tmp_path, clock):
    board = Board(down="it is down")

    assert delivery(evaluated(tmp_path, {"base": BASE}), board, clock).finish() is False

    assert len(clock.slept) == TRIES - 1
    assert board.closed


def test_the_end_says_when_all_is_confirmed(tmp_path, clock):
    board = Board()

    assert delivery(evaluated(tmp_path, {"base": BASE}), board, clock).finish() is True
    assert (board.steps, board.closed, clock.slept) == ([0], True, [])


def test_what_was_confirmed_before_a_failure_is_not_sent_again(tmp_path, clock):
    class FailsSecond(Board):
        def publish(self, messages):
            for number, message in enumerate(super().publish(messages)):
                if number == 1 and self.down == "":
                    raise OSError("cut")
                yield message

    board = FailsSecond()
    outbox = evaluated(tmp_path, {"base": BASE, 1: SAME, 2: SAME})
    delivery(outbox, board, clock).look()

    assert [row["step"] for row in receipts(outbox) if row["is"] == "confirmed"] == ["base"]


class Asked(Board):
    """A board that can be asked."""

    def has(self, message):
        return (message.at, message.row()) in self.rows


SENDER = """
import os, signal, sys
from tracker_kit import Board
from evalsi.training.trackers import Delivery, Outbox

class Dies(Board):
    def publish(self, messages):
        for number, message in enumerate(messages):
            if number == 1:
                if sys.argv[2] == "sent":
                    open(sys.argv[1] + "/sent", "w").write(str(message.at))
                os.kill(os.getpid(), signal.SIGKILL)
            yield message

Delivery(Outbox(sys.argv[1]), Dies()).look()
"""


def killed_while_sending(outbox, when):
    fakes = str(Path(__file__).parent / "fakes")
    done = subprocess.run(
        [sys.executable, "-c", SENDER, str(outbox.folder.parent), when],
        env={**os.environ, "PYTHONPATH": fakes},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL


def test_a_kill_behind_sending_sends_nothing_twice_where_the_place_can_be_asked(tmp_path, clock):
    outbox = evaluated(tmp_path, {"base": BASE, 1: SAME, 2: SAME})
    killed_while_sending(outbox, "sent")
    board = Asked()
    board.rows = [(m.at, m.row()) for m in outbox.messages()[:2]]  # what the killed one had sent

    delivery(outbox, board, clock).look()

    assert board.steps == [0, 1, 2]


def test_a_kill_before_sending_loses_nothing(tmp_path, clock):
    outbox = evaluated(tmp_path, {"base": BASE, 1: SAME, 2: SAME})
    killed_while_sending(outbox, "not sent")
    board = Asked()
    board.rows = [(m.at, m.row()) for m in outbox.messages()[:1]]

    delivery(outbox, board, clock).look()

    assert board.steps == [0, 1, 2]


def test_a_place_that_cannot_be_asked_gets_what_is_in_doubt_again(tmp_path, clock):
    outbox = evaluated(tmp_path, {"base": BASE, 1: SAME})
    killed_while_sending(outbox, "sent")
    board = Board()

    delivery(outbox, board, clock).look()

    assert board.steps == [1]
    assert (outbox.folder.parent / "sent").read_text() == "1"


def test_two_processes_never_send_to_one_place_at_once(tmp_path, clock):
    outbox = evaluated(tmp_path, {"base": BASE})
    board, told = Board(), []
    with outbox.receipts(board.destination):
        delivery(outbox, board, clock, told).look()

    assert board.rows == []
    assert "another process" in told[0]


WRITER = """
import json, sys, time
from pathlib import Path
from evalsi.training.trackers import Delivery, Outbox

class File:
    destination = "file"

    def __init__(self, path):
        self.path = Path(path)

    def publish(self, messages):
        for message in messages:
            time.sleep(0.002)
            with self.path.open("a") as file:
                file.write(f"{message.at}\\n")
            time.sleep(0.002)
            yield message

    def has(self, message):
        return self.path.exists() and str(message.at) in self.path.read_text().split()

    def close(self):
        pass

print("begun", flush=True)
Delivery(Outbox(sys.argv[1]), File(sys.argv[2])).finish()
"""


def test_kills_at_random_lose_nothing_and_send_nothing_twice(tmp_path):
    steps = range(150)
    outbox = evaluated(tmp_path, dict.fromkeys(steps, SAME), gates=())
    command = [sys.executable, "-c", WRITER, str(outbox.folder.parent), str(tmp_path / "file")]
    chance, kills, ended = random.Random(7), 0, False
    while not ended:
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"begun\n"
        try:
            process.wait(chance.uniform(0.02, 0.12) if kills < 12 else 60)
            ended = True
        except subprocess.TimeoutExpired:
            process.kill()
            kills += 1
        process.communicate()

    assert kills >= 5
    assert [int(line) for line in (tmp_path / "file").read_text().split()] == list(steps)
