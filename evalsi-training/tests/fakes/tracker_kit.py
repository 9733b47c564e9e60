"""A training run's history as an evaluator leaves it, and a tracker that can be made to fail."""

import json

from noting import Noting
from training_kit import put

from evalsi.training.curve import curve_of
from evalsi.training.gates import RegressionGate
from evalsi.training.history import History
from evalsi.training.trackers import Outbox, TrackerError

GATE = RegressionGate.parse("right:0.1")
BASE = [1.0] * 38 + [0.0] * 2
SAME = BASE
FELL = [1.0] * 20 + [0.0] * 20


def history_at(folder):
    return History(folder, "run")


def evaluated(folder, steps, gates=(GATE,)):
    """The outbox of a run with these steps, each with its values of the metric `right`."""
    history = history_at(folder)
    for step, values in steps.items():
        put(history, step, {"right": values})
    outbox = Outbox(history.folder)
    outbox.fill(curve_of(history, gates))
    return outbox


class Board:
    """Keeps what it is sent; fails while `down` says why.

    Attributes:
        rows: step and row of each message, in the order in which they came.
    """

    destination = "board 1"

    def __init__(self, down=""):
        self.down = down
        self.rows = []
        self.closed = False

    def publish(self, messages):
        for message in messages:
            if self.down:
                raise TrackerError(self.down)
            self.rows.append((message.at, message.row()))
            yield message

    def close(self):
        self.closed = True

    @property
    def steps(self):
        return [step for step, _ in self.rows]


class Leaves(Noting):
    """An evaluator that leaves a message with each evaluation; step 4 falls."""

    def __init__(self, folder):
        super().__init__()
        self.folder = folder
        self.outbox = evaluated(folder, {"base": BASE})

    def evaluate(self, checkpoint, step):
        evaluated(self.folder, {step: FELL if step == 4 else SAME})
        return super().evaluate(checkpoint, step)


def receipts(outbox):
    """The lines of every receipt file, without heads."""
    return [
        json.loads(line)
        for path in sorted(outbox.folder.glob("receipts-*.jsonl"))
        for line in path.read_text().splitlines()[1:]
    ]
