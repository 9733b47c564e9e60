"""Event files, read back by TensorBoard itself."""

import os
import signal
import subprocess
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray
from tracker_kit import BASE, FELL, SAME, evaluated

from evalsi.training.trackers import Delivery, TensorBoard
from evalsi.training.trackers.testing import TrackerTrial, check_tracker


def points(folder, name="evalsi/right"):
    held = EventAccumulator(str(folder), size_guidance={"tensors": 0}).Reload()
    if name not in held.Tags()["tensors"]:
        return []
    read = [(e.step, make_ndarray(e.tensor_proto).item()) for e in held.Tensors(name)]
    return [(step, round(value, 6)) for step, value in read]


def test_it_keeps_every_promise(tmp_path):
    def unreachable():
        (tmp_path / "file").touch()
        return TensorBoard(tmp_path / "file")

    trial = TrackerTrial(
        lambda: TensorBoard(tmp_path / "tb"),
        lambda: points(tmp_path / "tb", "evalsi/trial"),
        unreachable,
    )

    assert check_tracker(trial) == []


def test_a_kill_before_the_first_byte_loses_nothing(tmp_path):
    outbox = evaluated(tmp_path, {"base": BASE})
    tracker = TensorBoard(tmp_path / "tb")
    with outbox.receipts(tracker.destination) as receipts:
        receipts.sending(outbox.messages()[0])

    assert Delivery(outbox, tracker).finish()

    assert points(tmp_path / "tb") == [(0, 0.95)]


def test_late_steps_keep_their_place(tmp_path):
    outbox = evaluated(tmp_path, {"base": BASE, 300: FELL})
    sending = Delivery(outbox, TensorBoard(tmp_path / "tb"))
    sending.look()
    evaluated(tmp_path, {200: SAME})

    assert sending.finish()

    assert points(tmp_path / "tb") == [(0, 0.95), (300, 0.5), (200, 0.95)]
    assert [step for step, _ in points(tmp_path / "tb", "evalsi/status")] == [0, 300, 200]


KILLED = """
import os, signal, sys
from evalsi.training.trackers import Delivery, Outbox, TensorBoard
from evalsi.training.trackers.receipts import Receipts

Receipts.confirm = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
Delivery(Outbox(sys.argv[1]), TensorBoard(sys.argv[2])).look()
"""


def test_a_kill_before_the_receipt_sends_nothing_twice(tmp_path):
    outbox = evaluated(tmp_path, {"base": BASE, 1: SAME})
    command = [sys.executable, "-c", KILLED, str(outbox.folder.parent), str(tmp_path / "tb")]
    killed = subprocess.run(command, env=dict(os.environ), check=False)
    assert killed.returncode == -signal.SIGKILL
    assert points(tmp_path / "tb") == [(0, 0.95)]

    assert Delivery(outbox, TensorBoard(tmp_path / "tb")).finish()

    assert sorted(points(tmp_path / "tb")) == [(0, 0.95), (1, 0.95)]
