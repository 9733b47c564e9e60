"""Evaluators that break the contract, each in one way."""

from types import MappingProxyType

from pydantic import BaseModel

from evalsi.core.evaluator import Batch


class Silent:
    pass


class TwoWays:
    def score(self, record):
        return 1.0

    def score_batch(self, records):
        return [1.0 for _ in records]


class AsyncByMistake:
    async def score(self, record):
        return 1.0


class SyncByMistake:
    def ascore_batch(self, records):
        return [1.0 for _ in records]


class _Scores:
    def score(self, record):
        return 1.0


class _LooseParams(BaseModel):
    pass


class LooseParams(_Scores):
    Params = _LooseParams


class OddParams(_Scores):
    Params = dict


class ReadsText(_Scores):
    reads = "output"


class ReadsUnknown(_Scores):
    reads = ("ouput",)


class OddNeeds(_Scores):
    needs = frozenset({"sandbox"})


class OddMetrics(_Scores):
    metrics = MappingProxyType({"odd-metrics": "up"})


class OddBounded(_Scores):
    bounded = "yes"


class OddBatch(_Scores):
    batch = 64


class EmptyBatch(_Scores):
    batch = Batch(max_records=0)


class OddPatience(_Scores):
    patience_s = 0


class OddPaths(_Scores):
    paths = ("path",)


class OddAbout(_Scores):
    reads = ("output",)
    metrics = MappingProxyType({"odd-about": "higher"})
    about = MappingProxyType({"odd-about": {"kind": "harmful"}})


class RaisingReads(_Scores):
    @staticmethod
    def reads(params):
        return params.fields


def a_function(record):
    return 1.0
