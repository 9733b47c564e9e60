"""The tester's process: runs the test, holds no code of the program, tells the parent the end.

The parent's nonce comes in on standard input and goes out on standard output after the last
assert. Neither is within reach of the candidate, which is another process in another jail.
"""

from __future__ import annotations

import json
import marshal
import os
import sys
import time
import traceback
import warnings
from socket import socket, socketpair
from typing import Any

from evalsi_pack_rl.code_exec.asserts.guest import echoes, names
from evalsi_pack_rl.code_exec.asserts.guest.bodies import compiled
from evalsi_pack_rl.code_exec.asserts.guest.errors import ORIGIN, NotBegun
from evalsi_pack_rl.code_exec.asserts.guest.exports import NotPassable
from evalsi_pack_rl.code_exec.asserts.guest.kinds import kind_of
from evalsi_pack_rl.code_exec.asserts.guest.peer import TEST, Gone, Peer
from evalsi_pack_rl.code_exec.asserts.guest.wire import Wire

NOTE = 2000
REHEARSALS = 12
REHEARSAL: dict[str, Any] = {
    **{key: [] for key in ("classes", "given", "modules", "collected", "asserting")},
    "suites": [],
    "script": False,
    "scripted": False,
    "ending": [],
    "stateful": False,
    "kinds": False,
    "free": ["f"],
    "watched": [["builtins", "input"], ["builtins", "print"], ["sys", "stdin"]],
    "prelude": "",
    "test": "assert f(3) == 6\n",
}
LAST = ("gone", "not_begun", "unmet")  # no test of this program can go on after it


class Unmet(BaseException):
    """The candidate's process ended before its program began."""


ENDS = {NotPassable: "unfit", Unmet: "unmet", Gone: "gone", NotBegun: "not_begun"}


def rehearse() -> None:
    """Tests a function that is not there, until the interpreter has fitted its code to it."""
    main = sys.modules["__main__"]
    ours, theirs = socketpair()
    with ours, theirs:
        wire, far = Wire(ours), Wire(theirs)
        for _ in range(REHEARSALS):
            for form in (["d", "f", ["h", 1, "function", [], None]], 6):
                far.send(["=", [], form, "", []])
            test(wire, REHEARSAL, ready=True)
            for _ in range(2):
                far.receive()
    sys.modules["__main__"] = main


def main() -> None:
    """A tester's life."""
    told = marshal.loads(sys.stdin.buffer.read())  # noqa: S302 - from the parent
    out = os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    sys.setrecursionlimit(6000)
    warnings.simplefilter("ignore")
    os.write(out, b"\n")  # from here on it is the test's own doing
    wire = Wire(socket(fileno=3))
    ready = met(wire)
    for case in told["cases"]:
        begun = time.monotonic()
        verdict, note = "passed", ""
        try:
            test(wire, {**told, **case}, ready=ready)
        except BaseException as error:  # noqa: BLE001 - whatever ends a test before its end
            verdict, note = judged(error)
        seconds = time.monotonic() - begun
        report = [case["nonce"], verdict, note[-NOTE:], seconds]
        os.write(out, json.dumps(report).encode("ascii") + b"\n")
        if verdict in LAST:
            break
    os._exit(0)


def met(wire: Wire) -> bool:
    """Whether the candidate's process came to its beginning."""
    try:
        return wire.receive() == ["ready"]
    except (EOFError, OSError):
        return False


def test(wire: Wire, told: dict[str, Any], *, ready: bool) -> None:
    """Runs a test to its end; raises when it does not pass."""
    if not ready:
        raise Unmet
    peer = Peer(wire, names.watched(told["watched"]), told["asserting"], told["ending"])
    peer.stateful = told["stateful"]
    peer.stops = "StopIteration" in told["prelude"] + told["test"]
    peer.exports.collected = frozenset(told["collected"])
    program = names.Program(peer, told["free"], told["classes"])
    space = names.Names(program, told["free"])
    dict.update(space, names.imported(told["given"]))
    if told["kinds"] and "type" not in told["free"]:
        dict.__setitem__(space, "type", kind_of)
    echoes.follow(peer, told["prelude"] + told["test"])
    sys.modules["__main__"] = names.Main(program, space)
    if told["modules"]:
        sys.meta_path.append(names.Finder(program, told["modules"]))
    if told["script"]:
        from evalsi_pack_rl.code_exec.asserts.guest import collect

        collect.prepare()
    try:
        for part, name in (("prelude", "/box/prelude.py"), ("test", TEST)):
            exec(compiled(told[part], name, told["free"]), space)  # noqa: S102
    except SystemExit as leaving:
        if ORIGIN in leaving.__dict__ or leaving.code not in (None, 0, False):
            raise
    if told["script"]:
        collect.run(space, told["collected"], told["suites"], scripted=told["scripted"])
    peer.finish()


def judged(error: BaseException) -> tuple[str, str]:
    """The verdict that an exception of the test stands for, and what a person should see."""
    for kind, verdict in ENDS.items():
        if isinstance(error, kind):
            return verdict, str(error)
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
