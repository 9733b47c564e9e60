"""Objects of the candidate as the test sees them: proxies, and the rules that keep them honest.

A proxy never decides anything here by code of the candidate where the test compares with data of
its own. What the candidate's object says to `==` with plain data is not asked: the object is not
equal, or its plain part is compared. Operators that take the test's data, and methods that plain
data has too, work only on classes that the test names itself: a test that says `abs(f(2) - 5) <
1e-6` or `f(2).startswith("a")` means data, whatever comes back.
"""

from __future__ import annotations

import operator
import sys
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.code_exec.asserts.guest import known
from evalsi_pack_rl.code_exec.asserts.guest.plain import MUTABLE
from evalsi_pack_rl.code_exec.asserts.guest.said import Said
from evalsi_pack_rl.code_exec.asserts.guest.wire import Malformed

if TYPE_CHECKING:
    from evalsi_pack_rl.code_exec.asserts.guest.peer import Peer

PLAIN_NAMES: set[str] = set()
_CHANGING = (
    "append appendleft extend insert add update remove discard clear pop popleft popitem sort "
    "reverse copy keys values items"
)
CHANGING = frozenset(_CHANGING.split())
HARMLESS = (
    "__class__ __dict__ __dir__ __doc__ __init__ __len__ __module__ __name__ __qualname__ __repr__ "
    "__str__ __annotations__ __next__ __iter__ mro"
)
NUMBERS = ("int", "float", "complex", "index")
NOTHING: Any = object()


class Home:
    """The number of an object of the candidate, as an argument of a request."""

    def __init__(self, number: int) -> None:
        self.number = number


class State:
    """What the tester knows about an object of the candidate."""

    __slots__ = ("classes", "derived", "hidden", "home", "part", "peer", "said", "sort")

    def __init__(self, peer: Peer, number: int, sort: str, classes: list[int], part: Any) -> None:
        self.peer = peer
        self.home = Home(number)
        self.sort = sort
        self.classes = classes
        self.part = part
        self.derived = False
        self.hidden: frozenset[str] = frozenset()
        self.said = Said(peer)

    def ask(self, operation: str, *args: Any, **kwargs: Any) -> Any:
        """Has the candidate do something with it."""
        return self.peer.ask(operation, self.home, *args, **kwargs)

    def read(self, *question: Any) -> Any:
        """What it says of itself: a number is one number, wherever it stands.

        What else may change by itself, such as the length of a cache, does so only in objects of
        classes that the test names.
        """
        if self.named and question[0] not in NUMBERS:
            return self.ask(*question)
        return self.said.answer(question, lambda: self.ask(*question))

    @property
    def named(self) -> bool:
        """Whether it is of a class that the test names."""
        return self.home.number in self.peer.named or not self.peer.named.isdisjoint(self.classes)

    def refuse_derived(self, what: str) -> None:
        """Refuses what could turn the program's arithmetic on the test's data into a verdict."""
        if self.derived:
            raise TypeError(f"{what} of an object that the program derived from the test's data")

    def plain(self) -> Any:
        """The plain data in it, `NOTHING` when there is none."""
        if self.part is NOTHING or self.part:
            return self.part if self.part is NOTHING else self.part[0]
        value = self.read("plain")
        if type(value) not in MUTABLE:  # what cannot change came with the object
            raise Malformed("a plain part that is not plain")
        return value

    def attribute(self, name: str) -> Any:
        """An attribute of it, where the rules let the test have it."""
        if name == "__class__" and self.part is not NOTHING:
            return type(self.plain())
        # numpy would read memory where the program says; a mock is no object of the program
        if name.startswith("__array") or name in self.hidden:
            raise AttributeError(name)
        if (self.derived or not self.named) and _of_plain_data(name):
            self.refuse_derived(name)
            plain = self.plain()
            if plain is NOTHING and not (self.peer.stateful and name in CHANGING):
                raise AttributeError(
                    f"{name}: plain data was expected, and an object of the program came"
                )
            if plain is not NOTHING:
                return getattr(plain, name)
        value = self.ask("attr", name)
        if name == "__class__" and not issubclass(type(value), Remote):
            # It may say what it likes: it is no plain data.
            generates = value is GeneratorType and self.sort == "iterator"
            return value if generates else Remote
        name_it(self.peer, name, value)
        if self.hidden and issubclass(type(value), Remote):
            state_of(value).hidden = self.hidden
        return value


def _of_plain_data(name: str) -> bool:
    if not PLAIN_NAMES:
        PLAIN_NAMES.update(*map(dir, known.TYPES.values()))
        PLAIN_NAMES.difference_update(HARMLESS.split())
    return name in PLAIN_NAMES


class Remote:
    """An object of the candidate."""

    __slots__ = ("__weakref__", "_state")

    def __init__(self, state: State) -> None:
        _STATE.__set__(self, state)

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__" and sys._getframe(1).f_globals.get("__name__") == "abc":
            return type(self)  # an abstract class asks, which takes nothing but a real class
        return state_of(self).attribute(name)

    def __setattr__(self, name: str, value: Any) -> None:
        state_of(self).ask("setattr", name, value)

    def __delattr__(self, name: str) -> None:
        state_of(self).ask("delattr", name)

    def __eq__(self, other: object) -> Any:
        return _compared(self, other, "eq")

    def __ne__(self, other: object) -> Any:
        return _compared(self, other, "ne")

    def __hash__(self) -> int:
        state = state_of(self)
        state.refuse_derived("a hash")
        if state.sort not in ("object", "callable"):
            return state.home.number
        plain = state.plain()
        return of_kind(state.read("hash"), int) if plain is NOTHING else hash(plain)

    def __bool__(self) -> bool:
        state = state_of(self)
        state.refuse_derived("a truth value")
        if state.sort not in ("object", "callable"):
            return True
        plain = state.plain()
        return bool(state.read("bool") is True if plain is NOTHING else plain)

    def __contains__(self, item: object) -> bool:
        state = state_of(self)
        state.refuse_derived("membership")
        if state.named or issubclass(type(item), Remote):
            return state.ask("contains", item) is True
        return any(item is each or item == each for each in self)

    def __iter__(self) -> Any:
        state = state_of(self)
        state.refuse_derived("items")
        if state.named:
            return state.ask("iter")
        plain = state.plain()
        if plain is not NOTHING:
            return iter(plain)
        iterator = state.ask("iter")
        return iterator if iterator is self else state.said.counting(iterator)

    def __next__(self) -> Any:
        return state_of(self).ask("next")

    def __enter__(self) -> Any:
        return state_of(self).ask("enter")

    def __exit__(self, _kind: object, error: BaseException | None, trace: Any) -> bool:
        state = state_of(self)
        return state.ask("leave", error) is True and state.peer.lets_go(error, trace)

    def __aiter__(self) -> Any:
        return state_of(self).ask("aiter")

    async def __anext__(self) -> Any:
        return state_of(self).ask("anext")

    def __copy__(self) -> Any:
        return state_of(self).ask("copy")

    def __deepcopy__(self, _memo: object) -> Any:
        return state_of(self).ask("deepcopy")

    def __dir__(self) -> Any:
        return state_of(self).ask("dir")


class RemoteCallable(Remote):
    """A function of the candidate, or an object that can be called."""

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102 - as a function
        return state_of(self).ask("call", *args, **kwargs)


class RemoteClass(RemoteCallable):
    """A class of the candidate."""

    __slots__ = ()

    def __instancecheck__(self, thing: Any) -> bool:
        return (
            issubclass(type(thing), Remote)
            and state_of(self).peer.ask("instance", thing, self) is True
        )

    def __subclasscheck__(self, kind: Any) -> bool:
        return (
            issubclass(type(kind), Remote)
            and state_of(self).peer.ask("subclass", kind, self) is True
        )

    def __mro_entries__(self, _bases: object) -> Any:
        raise TypeError("a class of the program cannot be a base of a class of the test")


_STATE: Any = Remote.__dict__["_state"]


def state_of(remote: Any) -> State:
    """What is known about a proxy."""
    return _STATE.__get__(remote)  # type: ignore[no-any-return]


def home_of(remote: Any) -> int:
    """The number of a proxy's object."""
    return state_of(remote).home.number


def name_it(peer: Peer, name: str, value: Any) -> None:
    """Notes a class that the test names as one."""
    if name in peer.classes and issubclass(type(value), RemoteClass):
        peer.named.add(home_of(value))


def of_kind(value: Any, kind: type) -> Any:
    """A plain answer of the kind that an operator gives."""
    if type(value) is not kind:
        raise TypeError(f"the program's object gave no {kind.__name__}")
    return value


def part_of(thing: Any) -> Any:
    """A thing; of an object of a class that the test does not name the plain part that is fixed."""
    if not issubclass(type(thing), Remote):
        return thing
    state = state_of(thing)
    fixed = type(state.part) is list and bool(state.part)
    return state.part[0] if fixed and not (state.named or state.derived) else thing


def _compared(self: Remote, other: Any, name: str) -> Any:
    state = state_of(self)
    if part_of(self) is not self:
        other = part_of(other)
    if issubclass(type(other), Remote):
        return state.ask(name, other)
    plain = state.plain()
    return NotImplemented if plain is NOTHING else getattr(operator, name)(plain, other)
