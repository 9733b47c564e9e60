"""The guest scripts as programs, compiled once here: a jail runs the same build of Python."""

from __future__ import annotations

import importlib.resources
import marshal
from dataclasses import replace
from functools import lru_cache
from importlib.util import MAGIC_NUMBER
from types import CodeType
from typing import Final, Literal

from evalsi.core.sandbox import Program
from evalsi_pack_rl.code_exec.params import JAIL

__all__ = ["Guest", "program"]

_PLACE: Final = "evalsi_pack_rl.code_exec.asserts.guest"
_TESTER: Final = (
    "wire plain known arrays reader errors said remote iterators kinds operators arrivals visitors "
    "unittests exports peer names bodies echoes tester"
)
_CANDIDATE: Final = (
    "wire plain known arrays reader visitors abroad surroundings operations changes candidate"
)
_COLLECT: Final = "pytest_fixtures pytest_marks pytest_shim collect"
_FILES: Final = {
    "tester": f"{_COLLECT} {_TESTER}".split(),
    "plain": _TESTER.split(),
    "candidate": _CANDIDATE.split(),
    "shared": f"{_COLLECT} pytest_shared shared".split(),
}

_LOADER: Final = """\
import builtins, marshal, sys, types
from _frozen_importlib_external import MAGIC_NUMBER
OWN = dict(vars(builtins))  # a program that patches `len` breaks itself, not the guest
place, magic, parts = marshal.loads({parts!r})
sys.modules[place] = types.ModuleType(place)  # its files are found as modules by full name
for name, code, source in parts:
    module = sys.modules[name] = types.ModuleType(name)
    module.__builtins__ = OWN
    if magic != MAGIC_NUMBER:
        code = marshal.dumps(compile(source, name, "exec", dont_inherit=True))
    exec(marshal.loads(code), module.__dict__)
if {rehearses}:
    module.rehearse()
"""
_BEFORE: Final = f"""\
import sys
sys.modules["{_PLACE}.candidate"].prepare()
"""
_MAIN: Final = """\
import sys
sys.modules["{place}.{which}"].main()  # draws anew from `random`: whoever forks this looks for it
"""


Guest = Literal["tester", "plain", "candidate", "shared"]


def program(which: Guest, text: str = "") -> Program:
    """One of the guests; the candidate's compiles a program's text before its cases.

    The tester of plain asserts has none of what scripts and suites need, which every fork of it
    would copy.
    """
    files = {"program.py": text.encode("utf-8", "surrogatepass")}
    before = _BEFORE if which == "candidate" else ""
    main = _MAIN.format(place=_PLACE, which="tester" if which == "plain" else which)
    return Program(main, replace(JAIL, files=files), before, _base(which))


@lru_cache
def _base(which: str) -> str:
    parts = [
        (f"{_PLACE}.{name}", marshal.dumps(_code(name)), _source(name)) for name in _FILES[which]
    ]
    return _LOADER.format(
        rehearses=which != "shared", parts=marshal.dumps((_PLACE, MAGIC_NUMBER, parts))
    )


@lru_cache
def _code(name: str) -> CodeType:
    """One file of the guests, compiled."""
    made: CodeType = compile(_source(name), f"{_PLACE}.{name}", "exec", dont_inherit=True)
    return made


def _source(name: str) -> str:
    return importlib.resources.files(_PLACE).joinpath(f"{name}.py").read_text("utf-8")
