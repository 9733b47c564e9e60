"""The tester's process: runs the test, holds no code of the program, tells the parent the end.

The parent's nonce comes in on standard input and goes out on standard output after the last
assert. Neither is within reach of the candidate, which is another process in another jail.
"""

from __future__ import annotations

import json
import marshal
import os
import sys
import traceback
import types
import warnings
from socket import socket
from typing import Any

from evalsi_pack_rl.code_exec.asserts.guest import names
from evalsi_pack_rl.code_exec.asserts.guest.errors import ORIGIN, NotBegun
from evalsi_pack_rl.code_exec.asserts.guest.exports import NotPassable
from evalsi_pack_rl.code_exec.asserts.guest.peer import Gone, Peer
from evalsi_pack_rl.code_exec.asserts.guest.wire import Wire

NOTE = 2000


def prepare() -> None:
    """Loads what most tests import, once for all cases."""
    import unittest.mock  # noqa: F401 - the import itself is the point


def main() -> None:
    """A tester's life."""
    told = marshal.loads(sys.stdin.buffer.read())  # noqa: S302 - from the parent
    out = os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    sys.setrecursionlimit(6000)
    warnings.simplefilter("ignore")
    verdict, note = "passed", ""
    try:
        test(told)
    except BaseException as error:  # noqa: BLE001 - whatever ends a test before its end
        verdict, note = judged(error)
    report = {"nonce": told["nonce"], "verdict": verdict, "note": note[-NOTE:]}
    os.write(out, json.dumps(report).encode("ascii"))
    os._exit(0)


def test(told: dict[str, Any]) -> None:
    """Runs the test to its end; raises when it does not pass."""
    peer = Peer(Wire(socket(fileno=3)), names.watched(told["watched"]), told["asserting"])
    program = names.Program(peer, told["free"], told["classes"])
    space = names.Names(program, told["free"])
    dict.update(space, names.imported(told["given"]))
    module = types.ModuleType("__main__")
    module.__dict__["__getattr__"] = program.read
    sys.modules["__main__"] = module
    sys.meta_path.append(names.Finder(program, told["modules"]))
    for name, code in told["more"]:
        shim = sys.modules[name] = types.ModuleType(name)
        exec(code, shim.__dict__)  # noqa: S102
    collect: Any = sys.modules.get("evalsi_pack_rl.code_exec.asserts.guest.collect")
    if collect is not None:
        collect.prepare(space)
    try:
        for text in (told["prelude"], told["test"]):
            exec(compile(text, "/box/test.py", "exec", dont_inherit=True), space)  # noqa: S102
    except SystemExit as leaving:
        if ORIGIN in leaving.__dict__ or leaving.code not in (None, 0, False):
            raise
    if collect is not None:
        collect.run(space, told["collected"])
    peer.finish()


def judged(error: BaseException) -> tuple[str, str]:
    """The verdict that an exception of the test stands for, and what a person should see."""
    if isinstance(error, NotPassable):
        return "unfit", str(error)
    if isinstance(error, Gone):
        return "gone", str(error)
    if isinstance(error, NotBegun):
        return "not_begun", str(error)
    trace = error.__dict__.get("__evalsi_trace__")
    if trace is not None:
        return "raised", trace
    try:
        note = "".join(traceback.format_exception_only(error))
    except Exception:  # noqa: BLE001 - a message made of the program's objects
        note = type(error).__name__
    if isinstance(error, ModuleNotFoundError) and error.name:
        return "missing", error.name
    return ("wrong" if isinstance(error, AssertionError) else "raised"), note
