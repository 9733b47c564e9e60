"""Runs a program and one test after it in one interpreter; only where the data allows that.

Program and test share everything here, so that a program which digs for the nonce finds it: a pass
is evidence, not proof.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import sys
import traceback
import types

from evalsi_pack_rl.code_exec.asserts.guest import collect


def main() -> None:
    """Reads the texts, runs them, and sends the nonce after the last one."""
    told = marshal.loads(sys.stdin.buffer.read())  # noqa: S302 - from the parent
    nonce = told.pop("nonce")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = sys.modules["solution"] = module
    collect.prepare()
    for part in ("setup", "imports", "program", "prelude", "test"):
        if part == "imports":
            with contextlib.suppress(Exception):
                exec(told[part], module.__dict__)  # noqa: S102
            continue
        try:
            code = compile(told[part], f"/box/{part}.py", "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            traceback.print_exception(type(error), error, None)
            sys.exit(1)
        exec(code, module.__dict__)  # noqa: S102 - what this script is for
    if told["collected"] is not None:
        scripted = told["scripted"]
        collect.run(module.__dict__, told["collected"], told["suites"], scripted=scripted)
    sys.stdout.flush()
    os.write(3, bytes.fromhex(nonce))
