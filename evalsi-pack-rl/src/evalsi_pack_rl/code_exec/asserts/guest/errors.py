"""Exceptions of the candidate, raised in the test: the class by its name, the text as a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.code_exec.asserts.guest import known
from evalsi_pack_rl.code_exec.asserts.guest.wire import Malformed

if TYPE_CHECKING:
    from evalsi_pack_rl.code_exec.asserts.guest.peer import Peer
    from evalsi_pack_rl.code_exec.asserts.guest.reader import Reader

DEEPEST = 30
ORIGIN = "__evalsi_origin__"


class NotBegun(BaseException):
    """The program could not be loaded; carries what it said."""


def raised(peer: Peer, reader: Reader, form: Any) -> BaseException:
    """The exception that an answer tells of."""
    if type(form) is not list or len(form) != 7:
        raise Malformed("an exception of a wrong form")
    kind_form, arguments, text, handle, token, trace, begun = form
    if type(text) is not str or type(trace) is not str or type(handle) is not int:
        raise Malformed("an exception of a wrong form")
    if begun is not True:
        return NotBegun(trace[-3000:])
    own = peer.exports.raised_before(token)
    if own is not None:
        return own
    kind = error_class(peer, kind_form, 0)
    if type(arguments) is list and arguments[:1] == ["G"]:
        args: Any = (arguments[1], [raised(peer, reader, each) for each in arguments[2:]])
    else:
        args = reader.value(arguments)
    if type(args) is not tuple:
        raise Malformed("an exception without arguments")
    error = _made(kind, args, text[:10_000])
    error.__dict__[ORIGIN] = (peer, handle)
    error.__dict__["__evalsi_text__"] = text[:10_000]
    error.__dict__["__evalsi_trace__"] = trace[-3000:]
    return error


def _made(kind: type[BaseException], args: tuple[Any, ...], text: str) -> BaseException:
    """An instance; standard classes are made by themselves, so that `errno` and the like stand."""
    if known.ERRORS.get(kind.__name__) is kind:
        try:
            return kind(*args)
        except Exception:  # noqa: BLE001 - the program gave it other arguments
            args = (text,)
    group = issubclass(kind, BaseExceptionGroup)  # cannot be made of nothing
    error = kind.__new__(kind, *args) if group else kind.__new__(kind)
    error.args = args
    return error


def error_class(peer: Peer, form: Any, depth: int) -> type[BaseException]:
    """A class of exceptions: a standard one, or one that mirrors the candidate's."""
    if type(form) is not list or depth > DEEPEST:
        raise Malformed("no class of exceptions")
    match form:
        case ["y", str() as name] if name in known.ERRORS:
            return known.ERRORS[name]
        case ["k", module, name]:
            return known.error_of(module, name)
        case ["x", int() as number, str() as name, list() as bases]:
            held = peer.objects.get(number)
            if held is None:
                held = peer.objects[number] = _mirrored(peer, name, bases, depth)
                peer.exports.adopt(held, number)
            if isinstance(held, type) and issubclass(held, BaseException):
                return held
    raise Malformed("no class of exceptions")


def _mirrored(peer: Peer, name: str, bases: list[Any], depth: int) -> type[BaseException]:
    kinds = tuple(error_class(peer, base, depth + 1) for base in bases) or (Exception,)
    body = {
        "__module__": "solution",
        "__getattr__": _attribute,
        "__str__": lambda self: self.__dict__.get("__evalsi_text__", BaseException.__str__(self)),
    }
    return type(name[:200], kinds, body)


def _attribute(error: BaseException, name: str) -> Any:
    origin = error.__dict__.get(ORIGIN)
    if origin is None or name.startswith("__"):
        raise AttributeError(name)
    peer, handle = origin
    from evalsi_pack_rl.code_exec.asserts.guest.remote import Home

    return peer.ask("attr", Home(handle), name)
