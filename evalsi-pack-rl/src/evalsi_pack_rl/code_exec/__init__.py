"""Whether the program in a completion passes test cases, run in a sandbox."""

from __future__ import annotations

from evalsi_pack_rl.code_exec.evaluator import CodeExecTests
from evalsi_pack_rl.code_exec.params import CodeExecTestsParams

__all__ = ["CodeExecTests", "CodeExecTestsParams"]
