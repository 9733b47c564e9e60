"""The candidate's process: runs the program, then does what the tester asks for over the wire.

Nothing here is trusted by anyone: the program shares this interpreter and may change all of it. It
only serves honest programs well.
"""

from __future__ import annotations

import contextlib
import io
import marshal
import os
import sys
import traceback
import types
import warnings
from socket import socket, socketpair
from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.code_exec.asserts.guest.abroad import Abroad
from evalsi_pack_rl.code_exec.asserts.guest.changes import holds, same, snapshot
from evalsi_pack_rl.code_exec.asserts.guest.operations import OPERATIONS
from evalsi_pack_rl.code_exec.asserts.guest.plain import MUTABLE, Writer
from evalsi_pack_rl.code_exec.asserts.guest.reader import Reader
from evalsi_pack_rl.code_exec.asserts.guest.surroundings import Surroundings
from evalsi_pack_rl.code_exec.asserts.guest.wire import Malformed, Wire, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

NAME = "solution"
FILE = "/box/program.py"
LONGEST = 256 * 1024  # of a text that is compiled before a limit holds
TEXT: list[str] = []
COMPILED: list[types.CodeType] = []
REHEARSALS = 12
MOST_LIVE = 16
MOST_LIVE_PARTS = 2000
HUGE = 100_000
_EXIT = os._exit


def prepare() -> None:
    """Compiles the program once for all cases; one that does not compile tells so in each."""
    box = sys.argv[0].rpartition("/")[0]  # a rung without mounts has it elsewhere
    with open(f"{box}/program.py", "rb") as file:  # noqa: PTH123 - pathlib is slow to import
        TEXT.append(file.read().decode("utf-8", "surrogatepass"))
    if len(TEXT[0]) <= LONGEST:
        with contextlib.suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("error")
            COMPILED.append(compile(TEXT[0], FILE, "exec", dont_inherit=True))


def rehearse() -> None:
    """Serves a test that is not there, until the interpreter has fitted its code to it."""
    module = types.ModuleType(NAME)
    module.__dict__["f"] = lambda n: n * 2
    ours, theirs = socketpair()
    with ours, theirs:
        wire, far = Wire(ours), Wire(theirs)
        for _ in range(REHEARSALS):
            for operation, forms in (("hello", [["l", "f"]]), ("call", [["o", 1], 3])):
                far.send([operation, forms, [], [False, [], []]])
            served = Served(wire, module)
            served.begin(lambda: None)
            served.answer(wire.receive())
            for _ in range(2):
                far.receive()


def main() -> None:
    """A candidate's life; ends with the wire."""
    told = marshal.loads(sys.stdin.buffer.read())  # noqa: S302 - from the parent
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    wire = Wire(socket(fileno=3))
    module = types.ModuleType(NAME)
    module.__dict__.update(__file__=FILE, __builtins__=sys.modules["builtins"])
    sys.modules[NAME] = sys.modules["__main__"] = module
    served = Served(wire, module)
    try:
        wire.send(["ready"])  # from here on it is the program's own doing
        served.begin(lambda: begin(module, told))
        while True:
            served.answer(wire.receive())
    except (EOFError, OSError, Malformed):
        _EXIT(0)


def begin(module: types.ModuleType, told: dict[str, Any]) -> None:
    """Runs the program after what the data says goes before it."""
    space = module.__dict__
    if told["setup"]:
        exec(compile(told["setup"], "/box/setup.py", "exec", dont_inherit=True), space)  # noqa: S102
    for statement in told["prelude"]:
        # What needs the program, such as objects of its classes, is the test's own business.
        with contextlib.suppress(Exception):
            exec(compile(statement, "/box/setup.py", "exec", dont_inherit=True), space)  # noqa: S102
    code = COMPILED[0] if COMPILED else compile(TEXT[0], FILE, "exec", dont_inherit=True)
    exec(code, space)  # noqa: S102


@contextlib.contextmanager
def deep() -> Iterator[None]:
    """Room for data that nests, whatever depth the program's own calls may have."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 5000)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


@contextlib.contextmanager
def redirected(out: io.StringIO | None, err: io.StringIO | None) -> Iterator[None]:
    """What is printed meanwhile goes to the streams that are given."""
    with contextlib.ExitStack() as stack:
        if out is not None:
            stack.enter_context(contextlib.redirect_stdout(out))
        if err is not None:
            stack.enter_context(contextlib.redirect_stderr(err))
        yield


class Served:
    """Answers requests; a request may call the test back, which may ask again."""

    def __init__(self, wire: Wire, module: types.ModuleType) -> None:
        self.wire = wire
        self.abroad = Abroad(self, module)
        self.surroundings = Surroundings()
        self.live: dict[int, str] = {}
        self.stash: dict[int, BaseException] = {}

    def begin(self, program: Callable[[], None]) -> None:
        """Runs the program, then answers the first request; that of a broken one is its error."""
        try:
            program()
        except BaseException as error:  # noqa: BLE001 - the program's own, told in the answer
            self.wire.receive()
            self.reply("!", [], self.abroad.raised(error, begun=False), "", [])
            raise EOFError from None
        self.answer(self.wire.receive())

    def hello(self, names: list[str]) -> dict[str, Any]:
        """A test begins: what the one before it passed, or looked at, is over."""
        self.live.clear()
        self.stash.clear()
        self.abroad.part()
        return self.abroad.named(names)

    def answer(self, request: list[Any]) -> None:
        """Does what a request asks for and says what came of it."""
        operation, forms, named, (capture, syncs, mirrors) = request
        reader = Reader(self.abroad.value)
        for handle, form in syncs:
            reader.refill(self.abroad.objects[handle], form)
            self.live[handle] = text_of(form)
        self.surroundings.mirror([(m, a, reader.value(f)) for m, a, f in mirrors])
        reader = Reader(self.abroad.value)
        arguments = reader.values(forms)
        keywords = {name: reader.value(form) for name, form in named}
        before = [snapshot(item) for item in reader.kept]
        printed = [io.StringIO() if capture & bit else None for bit in (1, 2)]
        status, result = "=", None
        try:
            with redirected(*printed):
                result = OPERATIONS[operation](self, *arguments, **keywords)
        except BaseException as error:  # noqa: BLE001 - the test decides what to think of it
            status, result = "!", error
        changed = [
            number
            for number, item in enumerate(reader.kept)
            if not same(snapshot(item), before[number])
        ]
        passed = [*arguments, *keywords.values()]
        held = holds(reader.kept, passed, result) if status == "=" else []
        live = operation == "attr"
        self.conclude(status, result, reader.kept, changed, printed, live=live, held=held)

    def conclude(  # noqa: PLR0913 - all that an answer is made of
        self,
        status: str,
        result: Any,
        known: list[Any],
        changed: list[int],
        printed: list[io.StringIO | None],
        *,
        live: bool,
        held: Sequence[int] = (),
    ) -> None:
        """Writes what came of a request down, and sends it."""
        texts = [stream.getvalue() if stream else "" for stream in printed]
        out: Any = texts if texts[1] else texts[0]
        try:
            with deep():
                writer = Writer(self.abroad.form, known)
                contents = [[number, writer.contents(known[number])] for number in changed]
                if status == "!":
                    form = self.abroad.raised(result)
                elif live and type(result) in MUTABLE:
                    form = self.alive(result, writer)
                else:
                    form = writer.form(result)
                self.reply(status, contents, form, out, list(self.adopted(known, held)))
        except (ValueError, RecursionError, Malformed) as error:
            self.reply("!", [], self.abroad.raised(error), out, [])

    def reply(self, status: str, contents: list[Any], form: Any, out: Any, held: list[Any]) -> None:
        """Sends an answer, with the news of what the test looks at live."""
        more = [held] if held else []
        self.wire.send([status, contents, form, out, list(self.news()), *more])

    def adopted(self, known: list[Any], held: Sequence[int]) -> Iterator[list[int]]:
        """What the program keeps of what was passed, by new numbers: changes are told from now."""
        for number in held:
            value = known[number]
            handle = self.abroad.handle(value)
            many = len(value) > MOST_LIVE_PARTS or len(self.live) >= MOST_LIVE
            if handle not in self.live and not many:
                self.live[handle] = text_of(Writer(self.abroad.form).contents(value))
                yield [number, handle]

    def alive(self, value: Any, writer: Writer) -> Any:
        """The form of a container that the test may look at, and change, until its end."""
        if len(value) > MOST_LIVE_PARTS or len(self.live) >= MOST_LIVE:
            return writer.form(value)
        handle = self.abroad.handle(value)
        form = Writer(self.abroad.form).form(value)
        self.live[handle] = text_of(form)
        return ["m", handle, form]

    def news(self) -> Iterator[list[Any]]:
        """What changed of the containers that are looked at live, or kept; not of huge ones."""
        for handle, last in list(self.live.items()):
            value = self.abroad.objects[handle]
            try:
                form = Writer(self.abroad.form).contents(value) if len(value) <= HUGE else None
                text = last if form is None else text_of(form)
            except (ValueError, RecursionError, Malformed):
                del self.live[handle]
                continue
            if text != last:
                self.live[handle] = text
                yield [handle, form]

    def call_home(self, kind: str, number: int, *args: Any, **kwargs: Any) -> Any:
        """Has the test do something with an object that it passed."""
        reader = Reader(self.abroad.value)
        with deep():
            writer = Writer(self.abroad.form)
            forms = writer.forms(args, 0)
            named = [[name, writer.form(value)] for name, value in kwargs.items()]
            self.wire.send(["?", kind, number, forms, named])
        while True:
            frame = self.wire.receive()
            if frame[0] == "=":
                return reader.value(frame[1])
            if frame[0] == "!":
                raise self.abroad.error_from_home(*frame[1:])
            self.answer(frame)


def failed(error: BaseException) -> str:
    """The last of a traceback, for a person."""
    with contextlib.suppress(Exception):
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != FILE:
            trace = trace.tb_next
        lines = traceback.format_exception(type(error), error, trace)
        return "".join(lines)[-1500:]
    return type(error).__name__
