"""`POST /v1alpha1/rewards:score`: what client and server say to each other, in one place.

A request names a spec and carries rollouts; its answer carries a reward a rollout, and who
computed them. `docs/reference/remote-scoring.md` describes the JSON.
"""

from __future__ import annotations

from evalsi.core.reward.wire.answer import Answer, answer_bytes, read_answer
from evalsi.core.reward.wire.description import Description, described
from evalsi.core.reward.wire.json_bytes import NotCarried
from evalsi.core.reward.wire.problem import (
    Problem,
    error_answer,
    error_of,
    problem_bytes,
    read_problem,
)
from evalsi.core.reward.wire.request import ScoreRequest, read_request, request_bytes
from evalsi.core.reward.wire.rows import Reads, row_of_record

__all__ = [
    "PATH",
    "Answer",
    "Description",
    "NotCarried",
    "Problem",
    "Reads",
    "ScoreRequest",
    "answer_bytes",
    "described",
    "error_answer",
    "error_of",
    "problem_bytes",
    "read_answer",
    "read_problem",
    "read_request",
    "request_bytes",
    "row_of_record",
]

PATH = "/v1alpha1/rewards:score"
"""Where a server answers."""
