"""The test's globals: its own names, and behind them those of the program."""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.code_exec.asserts.guest.remote import Home, name_it

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalsi_pack_rl.code_exec.asserts.guest.peer import Peer

PROGRAM = Home(0)
RUNNERS = ("setUpModule", "tearDownModule", "load_tests")  # what `unittest` looks for in a script


class Program:
    """Names of the program: functions and classes once, data whenever it is read."""

    def __init__(self, peer: Peer, names: Sequence[str], classes: Sequence[str]) -> None:
        self._peer = peer
        peer.classes = frozenset(classes)
        self._held: dict[str, Any] = {}
        answer = peer.ask("hello", list(names))
        if type(answer) is dict:
            self._held = {name: value for name, value in answer.items() if name in names}
        for name, value in self._held.items():
            name_it(peer, name, value)

    def read(self, name: str) -> Any:
        """What a name stands for; raises `AttributeError`."""
        if name in self._held:
            return self._held[name]
        value = self._peer.ask("attr", PROGRAM, name)
        name_it(self._peer, name, value)
        return value

    def write(self, name: str, value: Any) -> None:
        """Makes a name of the program stand for something else."""
        self._held.pop(name, None)
        self._peer.ask("setattr", PROGRAM, name, value)

    def remove(self, name: str) -> None:
        """Removes a name from the program."""
        self._held.pop(name, None)
        self._peer.ask("delattr", PROGRAM, name)


class Names(dict[str, Any]):
    """Globals in which a name that the test does not bind is the program's."""

    def __init__(self, program: Program, free: Sequence[str]) -> None:
        builtins = sys.modules["builtins"]
        super().__init__(__name__="__main__", __builtins__=builtins, __file__="/box/test.py")
        self._program = program
        self._free = frozenset(free)

    def __missing__(self, name: str) -> Any:
        if name not in self._free:
            raise KeyError(name)
        try:
            return self._program.read(name)
        except AttributeError:
            raise KeyError(name) from None

    def __contains__(self, name: object) -> bool:
        return dict.__contains__(self, name) or self.get(str(name), self) is not self

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a name, the program's included."""
        try:
            return self[name]
        except KeyError:
            return default


class ProgramModule(ModuleType):
    """The program as a module that a test imports."""

    def __init__(self, name: str, program: Program) -> None:
        super().__init__(name)
        self.__dict__.update(__all__=[], __path__=[], _evalsi_program=program)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.__dict__["_evalsi_program"].read(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__"):
            super().__setattr__(name, value)
        else:
            self.__dict__["_evalsi_program"].write(name, value)

    def __delattr__(self, name: str) -> None:
        self.__dict__["_evalsi_program"].remove(name)


class Main(ProgramModule):
    """`__main__` in a test: the script's own names, and behind them those of the program."""

    def __init__(self, program: Program, space: Names) -> None:
        super().__init__("__main__", program)
        self.__dict__["_evalsi_space"] = space

    def __getattr__(self, name: str) -> Any:
        space = self.__dict__["_evalsi_space"]
        if dict.__contains__(space, name):
            return dict.__getitem__(space, name)
        if name in RUNNERS:
            raise AttributeError(name)
        return super().__getattr__(name)


class Finder:
    """Gives the program for the modules that a test imports it as."""

    def __init__(self, program: Program, modules: Sequence[str]) -> None:
        self._program = program
        self._modules = frozenset(modules)

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        """As `importlib` asks; the last finder, so that what is installed goes before."""
        return ModuleSpec(name, self) if name in self._modules else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The program under the name of a module."""
        return ProgramModule(spec.name, self._program)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run here."""


def imported(given: Sequence[tuple[str, str, str]]) -> dict[str, Any]:
    """Standard names that a test uses without an import: the real ones, not the program's."""
    found = {}
    for name, module, attribute in given:
        home = importlib.import_module(module)
        found[name] = getattr(home, attribute) if attribute else home
    return found


def watched(names: Sequence[tuple[str, str]]) -> list[tuple[ModuleType, str]]:
    """Names of modules that the test may patch, as far as there are such."""
    found = []
    for module, name in names:
        try:
            home = sys.modules.get(module) or importlib.import_module(module)
        except ImportError:
            continue
        if name in vars(home):
            found.append((home, name))
    return found
