"""An async evaluator whose callers meet, and which keeps what it was called with."""

import asyncio

from evalsi.core import Score
from evalsi.core.evaluator import Batch

__all__ = ["Meets"]


class Meets:
    reads = ("output",)
    bounded = True
    batch = Batch(max_records=4, wait_ms=1000)

    def __init__(self):
        self.calls = []
        self.cancelled = 0

    async def ascore_batch(self, records):
        self.calls.append([record.output for record in records])
        if any(record.output == "raises" for record in records):
            raise ValueError("it broke")
        try:
            await asyncio.sleep(30 if records[0].output.startswith("slow") else 0.01)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return [Score(float(record.output)) for record in records]
