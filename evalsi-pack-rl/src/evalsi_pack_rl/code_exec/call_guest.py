"""Calls a function of a program and tells what it returned; runs inside the jail.

The standard library only. The function's name and arguments come on standard input, which is
empty for the program; the value goes out on descriptor 3 as plain data. What it should be is not
known here, so that whatever the program does to this interpreter, it only changes its own answer.

What all cases of a program share, its compiled text, is made ready before the first.
"""

from __future__ import annotations

import builtins
import collections
import contextlib
import fractions
import json
import math
import os
import sys
import traceback
import types
import typing
import warnings
from typing import Any

_WIRE = 3
_READY = b"\n"  # from here on it is the program's own doing
_DEEPEST = 100
_MOST_ITEMS = 1_000_000  # of an iterator, which may have no end
_RECURSION = 50_000
_LONGEST_SHARED = 256 * 1024  # of a text that is compiled before a limit holds
_LONGEST_INTEGER = 1 << 63
_SEQUENCES: Any = (
    list,
    tuple,
    range,
    collections.deque,
    type({}.keys()),
    type({}.values()),
    type({}.items()),
)
_LIBRARIES = [
    "bisect",
    "collections",
    "functools",
    "heapq",
    "itertools",
    "math",
    "random",
    "re",
    "string",
    "sys",
    "typing",
]
_NAMES = (
    ("collections", ("Counter", "OrderedDict", "defaultdict", "deque")),
    ("functools", ("cache", "cmp_to_key", "lru_cache", "reduce")),
    ("heapq", ("heapify", "heappop", "heappush", "heappushpop", "heapreplace")),
    ("bisect", ("bisect_left", "bisect_right", "insort")),
    ("itertools", ("accumulate", "chain", "combinations", "count", "groupby", "permutations")),
    ("math", ("ceil", "comb", "floor", "gcd", "inf", "sqrt")),
    ("typing", tuple(typing.__all__)),
)

TEXTS: list[tuple[str, str | types.CodeType]] = []


def prepare(setup: str, program: str) -> None:
    """Compiles what can be compiled; the rest says in each case what is wrong with it."""
    for name, text in (("setup", setup), ("program", program)):
        TEXTS.append((name, text))
        if len(text) <= _LONGEST_SHARED:
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("error")
                TEXTS[-1] = (name, compiled(name, text))


def offer() -> None:
    """Can be imported from now on."""
    guest = sys.modules["call_guest"] = types.ModuleType("call_guest")
    guest.__dict__.update(prepare=prepare, call=call)


def call() -> None:
    """Runs the setup and the program, calls the function, and sends what it returned."""
    os.write(_WIRE, _READY)
    told = json.loads(sys.stdin.buffer.read())
    with open(os.devnull) as nothing:  # noqa: PTH123 - pathlib costs milliseconds a case
        os.dup2(nothing.fileno(), 0)
    module = types.ModuleType("solution")
    sys.modules["solution"] = module
    module.__dict__["__builtins__"] = surroundings()
    codes = [ready(name, text) for name, text in TEXTS]
    sys.setrecursionlimit(_RECURSION)  # not before: the compiler recurses in C
    for code in codes:
        exec(code, module.__dict__)  # noqa: S102 - what this script is for
    send(encoded(function(module, told["name"])(*decoded(told["arguments"])), 0))


def ready(name: str, text: str | types.CodeType) -> types.CodeType:
    """The code of a text; one that Python refuses ends the case."""
    if isinstance(text, types.CodeType):
        return text
    try:
        return compiled(name, text)
    except (SyntaxError, ValueError) as error:
        traceback.print_exception(type(error), error, None)
        sys.exit(1)


def compiled(name: str, text: str) -> types.CodeType:
    """A text as code."""
    code: types.CodeType = compile(text, f"/box/{name}.py", "exec", dont_inherit=True)
    return code


def surroundings() -> dict[str, Any]:
    """The built-in names, and those that judges of such programs import for them.

    They are no names of the program: what it does not define is never called as its function.
    """
    lent = {name: __import__(name) for name in _LIBRARIES}
    for library, names in _NAMES:
        lent |= {name: getattr(lent[library], name) for name in names}
    return {**lent, **vars(builtins)}


def function(module: types.ModuleType, name: str) -> Any:
    """The method of a new `Solution`, else the function, of that name."""
    solution = module.__dict__.get("Solution")
    if isinstance(solution, type) and hasattr(solution, name):
        return getattr(solution(), name)
    if name not in module.__dict__:
        raise AttributeError(f"the program defines no {name!r}")
    return module.__dict__[name]


def decoded(value: Any) -> Any:
    """The value that plain data stands for."""
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if isinstance(value, dict):
        return {decoded(key): decoded(item) for key, item in value["d"]}
    return value


def encoded(value: Any, depth: int) -> Any:
    """A value as plain data: a list for every sequence, a tagged object for what JSON has not."""
    if depth > _DEEPEST:
        raise ValueError(f"the value is nested more than {_DEEPEST} deep")
    if value is None or isinstance(value, str):
        return value if value is None else str.__str__(value)
    if isinstance(value, int):
        return integer(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, dict):
        items = dict.items(value)
        return {"d": [[encoded(k, depth + 1), encoded(v, depth + 1)] for k, v in items]}
    return other(value, depth)


def integer(value: int) -> Any:
    """An integer; as hexadecimal text where decimal would take long."""
    if isinstance(value, bool):
        return value
    value = int.__int__(value)
    return value if -_LONGEST_INTEGER < value < _LONGEST_INTEGER else {"i": hex(value)}


def other(value: Any, depth: int) -> Any:
    """Sequences and iterators as lists, numbers of the libraries, or the name of the type."""
    if isinstance(value, _SEQUENCES):
        return [encoded(item, depth + 1) for item in value]
    if type(value).__name__ in ("Fraction", "Decimal") and math.isfinite(value):
        exact = fractions.Fraction(value)
        return {"q": [hex(exact.numerator), hex(exact.denominator)]}
    if hasattr(value, "__next__"):
        return [encoded(item, depth + 1) for item in items(value)]
    if hasattr(value, "tolist"):  # numpy
        return encoded(value.tolist(), depth + 1)
    return {"?": type(value).__name__}


def items(values: Any) -> list[Any]:
    """What an iterator gives."""
    kept = []
    for item in values:
        kept.append(item)
        if len(kept) > _MOST_ITEMS:
            raise ValueError(f"the iterator gives more than {_MOST_ITEMS} items")
    return kept


def send(value: Any) -> None:
    """Sends the value, whole."""
    data = memoryview(json.dumps(value).encode())
    while data:
        data = data[os.write(_WIRE, data) :]
    os.close(_WIRE)
