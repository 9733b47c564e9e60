"""The tester's end of the wire: asks the candidate, and serves what the candidate calls back.

Whatever arrives is an answer of the program under test: it may be wrong, it may end the case, and
it never does more. Once something arrives that an honest end does not send, or nothing more
arrives, the case cannot pass any longer, whatever the test makes of the exception.
"""

from __future__ import annotations

import io
import sys
import threading
from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.code_exec.asserts.guest.arrivals import imported
from evalsi_pack_rl.code_exec.asserts.guest.errors import ORIGIN, raised
from evalsi_pack_rl.code_exec.asserts.guest.exports import Exports, NotPassable
from evalsi_pack_rl.code_exec.asserts.guest.plain import MUTABLE, Writer
from evalsi_pack_rl.code_exec.asserts.guest.reader import Reader
from evalsi_pack_rl.code_exec.asserts.guest.wire import Malformed, Wire, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType, TracebackType

STDOUT, STDERR = sys.stdout, sys.stderr
MOST_OBJECTS = 200_000
MOST_LIVE = 100
TEST = "/box/test.py"
THEIRS = (Exception, NotPassable, SystemExit, KeyboardInterrupt)
_READING = (
    "len str repr hash int float complex index format bytes bool plain contains instance subclass "
    "eq ne lt le gt ge iter next many attr getitem dir hello"
)
READING = frozenset(_READING.split())  # what changes nothing
_UNTOUCHED = object()


class Gone(BaseException):
    """The candidate broke off; no `except Exception` of a test takes it for an answer."""


class Peer:
    """Asks the candidate. Safe from the test's threads, one request at a time."""

    def __init__(
        self,
        wire: Wire,
        watched: Sequence[tuple[ModuleType, str]] = (),
        asserting: Sequence[str] = (),
        ending: Sequence[tuple[int, int, int, int]] = (),
    ) -> None:
        self._wire = wire
        self._ending = ending
        self._lock = threading.RLock()
        self.exports = Exports(asserting)
        self.objects: dict[int, Any] = {}
        self.classes: frozenset[str] = frozenset()
        self.named: set[int] = set()
        self.stateful = False
        self.stops = True
        self.turn = 0  # how often the program had something to do: what it says may be new then
        self.before: Callable[[], None] | None = None
        self.broken = ""
        self.failure: BaseException | None = None
        self._live: dict[int, tuple[Any, str]] = {}
        self._watched: list[list[Any]] = [
            [module, name, vars(module).get(name), _UNTOUCHED] for module, name in watched
        ]

    def finish(self) -> None:
        """Raises what the test may not have seen: a failed assert or a broken wire."""
        if self.failure is not None:
            raise self.failure
        if self.broken:
            raise Gone(self.broken)
        missed = self.exports.unfinished()
        if missed:
            raise AssertionError(f"the program never saw the end of {', '.join(missed)}")

    def lets_go(self, error: BaseException | None, trace: TracebackType | None) -> bool:
        """Whether a context manager of the program may end an exception of its block.

        Not a failed assert, and nowhere where it would leave out a part of the test.
        """
        if isinstance(error, AssertionError | Gone | NotPassable) or trace is None:
            return False
        frame, at = trace.tb_frame, trace.tb_lineno
        head = frame.f_lineno or 0  # of the block that is left: an inner one has its own last line
        return frame.f_code.co_filename == TEST and any(
            a <= head <= b and c <= at <= d for a, b, c, d in self._ending
        )

    def ask(self, operation: str, *args: Any, **kwargs: Any) -> Any:
        """Has the candidate do something; returns or raises what came of it there."""
        with self._lock:
            if self.before is not None:
                self.before()
            if self.broken:
                raise Gone(self.broken)
            writer = Writer(self.exports.form)
            forms = writer.forms(args, 0)
            named = [[name, writer.form(value)] for name, value in kwargs.items()]
            capture = (sys.stdout is not STDOUT) + 2 * (sys.stderr is not STDERR)
            extras = [capture, self._syncs(), self._mirrors()]
            self.turn += bool(extras[1] or extras[2])
            try:
                self._wire.send([operation, forms, named, extras])
                good, value = self._answer(writer.kept, changing=operation not in READING)
            except (EOFError, OSError):
                self.broken = "the program ended before the test did"
                raise Gone(self.broken) from None
            except Exception as error:  # noqa: BLE001 - what was sent can be wrong in any way
                self.broken = f"the program's answer is no answer: {error}"
                raise Gone(self.broken) from None
            if good:
                return value
            self._keep_replaced()
            if isinstance(value, StopIteration) and not self._may_stop(operation):
                raise RuntimeError("StopIteration, which would end a loop of the test") from value
            raise value

    def _keep_replaced(self) -> None:
        """Notes a failed assert in whose place an exception of the program comes: `finally`."""
        under = sys.exc_info()[1]
        if isinstance(under, AssertionError) and ORIGIN not in under.__dict__:
            self.failure = self.failure or under

    def _may_stop(self, operation: str) -> bool:
        return operation in ("next", "many") or (operation == "call" and self.stops)

    def _answer(self, known: list[Any], *, changing: bool) -> tuple[bool, Any]:
        while (frame := self._wire.receive())[0] == "?":
            self.turn += changing
            self._wire.send(self._called_back(frame))
        self.turn += changing
        if len(frame) not in (5, 6) or frame[0] not in ("=", "!"):
            raise Malformed("an answer of a wrong form")
        status, changed, form, printed, news, *held = frame
        reader = Reader(self.value, known)
        for number, contents in pairs(changed):
            if number >= len(known):
                raise Malformed("news of an object that was not passed")
            reader.refill(known[number], contents)
        self._lent(pairs(held[0]) if held else [], known)
        for handle, contents in pairs(news):
            self._refresh(handle, contents)
        self._printed(printed)
        if status == "=":
            return True, reader.value(form)
        return False, raised(self, reader, form)

    def _printed(self, told: Any) -> None:
        parts = told if type(told) is list else [told]
        if len(parts) > 2 or any(type(part) is not str for part in parts):
            raise Malformed("printed text that is no text")
        for part, stream, own in zip(
            parts, (sys.stdout, sys.stderr), (STDOUT, STDERR), strict=False
        ):
            if part and stream is not own:
                stream.write(part)

    def _called_back(self, frame: list[Any]) -> list[Any]:
        if len(frame) != 5:
            raise Malformed("a call of a wrong form")
        _, kind, number, forms, named = frame
        reader = Reader(self.value)
        if type(forms) is not list or type(kind) is not str:
            raise Malformed("a call of a wrong form")
        args = reader.values(forms)
        kwargs = {text(name): reader.value(form) for name, form in pairs(named, str)}
        try:
            result = self.exports.serve(kind, number, args, kwargs)
            return ["=", Writer(self.exports.form).form(result)]
        except THEIRS as error:  # goes to where it was called from
            if isinstance(error, AssertionError) and self.failure is None:
                self.failure = error  # the program may swallow it: it failed all the same
            if isinstance(error, SystemExit):
                error.__dict__[ORIGIN] = None  # and no end of the test
            if isinstance(error, NotPassable) and not self.exports.prepared(number):
                error = TypeError(str(error))  # whatever the program asked for there
            return ["!", *self.exports.error(error)]

    def value(self, reader: Reader, form: list[Any]) -> Any:
        """What a form stands for that is no plain data."""
        if form[0] == "o" and len(form) == 2:
            return self.exports.home(form[1])
        if form[0] == "m" and len(form) == 3:
            return self._linked(reader, form[1], form[2])
        if len(self.objects) > MOST_OBJECTS:
            raise Malformed("too many objects")
        return imported(self, form)

    def plain_value(self, form: Any) -> Any:
        """The value of a form that stands for itself."""
        return Reader(self.value).value(form)

    def _lent(self, held: list[Any], known: list[Any]) -> None:
        """Notes which containers of the test the program keeps: it may change them later."""
        for number, handle in held:
            if number >= len(known) or type(handle) is not int or len(self._live) > MOST_LIVE:
                raise Malformed("news of an object that was not passed")
            value = known[number]
            self._live.setdefault(handle, (value, self._contents(value)))

    def _linked(self, reader: Reader, handle: Any, form: Any) -> Any:
        if type(handle) is not int:
            raise Malformed("an object without a number")
        if handle in self._live:
            self._refresh(handle, form)
            return self._live[handle][0]
        value = reader.value(form)
        if type(value) not in MUTABLE:
            raise Malformed("no container")
        self.exports.adopt(value, handle)
        self._live[handle] = (value, self._contents(value))
        return value

    def _refresh(self, handle: int, form: Any) -> None:
        if handle not in self._live:
            raise Malformed("news of an object that nobody looks at")
        value = self._live[handle][0]
        Reader(self.value).refill(value, form)
        self._live[handle] = (value, self._contents(value))

    def _contents(self, value: Any) -> str:
        return text_of(Writer(self.exports.form).contents(value))

    def _syncs(self) -> list[Any]:
        """What the test changed of the containers that it looks at live."""
        changes = []
        for handle, (value, last) in self._live.items():
            form = Writer(self.exports.form).contents(value)
            if text_of(form) != last:
                self._live[handle] = (value, text_of(form))
                changes.append([handle, form])
        return changes

    def pending(self) -> bool:
        """Whether the test changed something that the program does not know of yet."""
        return any(self._contents(value) != last for value, last in self._live.values()) or any(
            vars(module).get(name) is not (own if last is _UNTOUCHED else last)
            for module, name, own, last in self._watched
        )

    def _mirrors(self) -> list[Any]:
        """Names of modules that the test patched, or restored, since the last request."""
        changes = []
        for entry in self._watched:
            module, name, own, last = entry
            now = vars(module).get(name)
            if now is not (own if last is _UNTOUCHED else last):
                entry[3] = now
                form = ["e", "..."] if now is own else self._mirrored(now)
                changes.append([module.__name__, name, form])
        return changes

    def _mirrored(self, value: Any) -> Any:
        if type(value) is io.StringIO:  # what `input` reads there has to be a file
            return ["w", value.getvalue(), value.tell()]
        return Writer(self.exports.form).form(value)


def pairs(items: Any, kind: type = int) -> list[Any]:
    """A list of pairs whose first is of a kind; raises `Malformed`."""
    if type(items) is not list:
        raise Malformed("no list")
    for item in items:
        if type(item) is not list or len(item) != 2 or type(item[0]) is not kind:
            raise Malformed("no pair")
        first: Any = item[0]
        if kind is int and first < 0:
            raise Malformed("a number below 0")
    return items


def text(value: Any) -> str:
    """A text of a reasonable length; raises `Malformed`."""
    if type(value) is not str or len(value) > 1000:
        raise Malformed("no name")
    return value
