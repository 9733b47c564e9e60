"""An evaluator that notes what it is given, for hooks in trainers."""

import threading
from pathlib import Path

from evalsi.core.stats import Comparison
from evalsi.training.judging import Change, StepResult

FELL = {"right": Change(Comparison(100, diff=-0.5), regressed=True)}
HELD = {"right": Change(Comparison(100, diff=0.0))}


class Noting:
    """Looks at each checkpoint with `read`; the steps in `falls` regress.

    Attributes:
        seen: step, file name, and what `read` gave.
        after: steps at which training was when each evaluation ended, if `now` is kept up.
    """

    def __init__(self, read=lambda path: None, falls=(), wait_for=None):
        self.read = read
        self.falls = falls
        self.wait_for = wait_for or threading.Event()
        self.seen = []
        if wait_for is None:
            self.wait_for.set()

    def evaluate(self, checkpoint, step):
        assert self.wait_for.wait(30)
        self.seen.append((step, Path(checkpoint).name, self.read(checkpoint)))
        return StepResult(step, comparisons=FELL if step in self.falls else HELD)
