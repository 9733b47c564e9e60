"""Asserts on a program, run in an interpreter that holds none of it."""

from __future__ import annotations

from evalsi_pack_rl.code_exec.asserts.runner import AssertRunner

__all__ = ["AssertRunner"]
