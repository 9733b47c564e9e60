"""The contract of a sandbox: rungs on a ladder, jails that they open, outcomes that jails report.

Broken infrastructure raises `SandboxUnavailable`; it is never an `Outcome`. An outcome tells how
the program in the jail ended, and nothing about whether it was right.
"""

from __future__ import annotations

from evalsi.core.sandbox.contract import (
    LADDER,
    Command,
    Ended,
    Jail,
    JailSpec,
    Limits,
    Outcome,
    Rung,
    Unusable,
    Usable,
)
from evalsi.core.sandbox.launching import Finished, Launch, Launcher, Process
from evalsi.core.sandbox.one_shot import OneShotFork, encoded, whole
from evalsi.core.sandbox.python import Loaded, Program, PythonFork

__all__ = [
    "LADDER",
    "Command",
    "Ended",
    "Finished",
    "Jail",
    "JailSpec",
    "Launch",
    "Launcher",
    "Limits",
    "Loaded",
    "OneShotFork",
    "Outcome",
    "Process",
    "Program",
    "PythonFork",
    "Rung",
    "Unusable",
    "Usable",
    "encoded",
    "whole",
]
