"""What of the test's own objects a program can reach, and what it cannot."""

from __future__ import annotations

import inspect
import sys
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from evalsi_pack_rl.code_exec.asserts.guest import arrays
from evalsi_pack_rl.code_exec.asserts.guest.exports import Exports
from evalsi_pack_rl.code_exec.asserts.guest.visitors import visiting
from evalsi_pack_rl.code_exec.asserts.guest.wire import Malformed


def test_an_object_that_was_never_passed_cannot_be_used() -> None:
    with pytest.raises(Malformed):
        Exports().serve("call", 0, [], {})


def test_private_names_of_what_was_passed_cannot_be_reached() -> None:
    class Thing:
        __module__ = "__main__"
        secret = 1

    exports = Exports()
    exports.form(Thing())

    assert exports.serve("attr", 0, ["secret"], {}) == 1
    for name in ("_x", "__class__", "__dict__"):
        with pytest.raises(AttributeError, match="private"):
            exports.serve("attr", 0, [name], {})


def test_a_mocks_own_names_are_the_tests() -> None:
    exports = Exports()
    exports.form(mock := MagicMock())

    assert exports.serve("call", 0, [5], {"k": 6}) is mock.return_value
    exports.serve("setattr", 0, ["size", 3], {})
    for name in ("return_value", "assert_called_once", "call_count", "_mock_children"):
        with pytest.raises(AttributeError, match="private"):
            exports.serve("attr", 0, [name], {})
        with pytest.raises(AttributeError, match="private"):
            exports.serve("setattr", 0, [name, 1], {})
    with pytest.raises(TypeError, match="a mock"):
        exports.serve("setattr", 0, ["put", len], {})
    assert mock.size == 3
    mock.assert_called_once_with(5, k=6)


def test_methods_of_what_was_passed_cannot_be_replaced() -> None:
    class Thing:
        __module__ = "__main__"
        size = 1

        def was_called(self) -> bool:
            return False

    exports = Exports()
    exports.form(thing := Thing())

    exports.serve("setattr", 0, ["size", 2], {})
    with pytest.raises(TypeError, match="a method"):
        exports.serve("setattr", 0, ["was_called", lambda: True], {})
    assert (thing.size, thing.was_called()) == (2, False)


def test_what_an_object_of_the_test_holds_for_itself_cannot_be_replaced() -> None:
    class Thing:
        __module__ = "__main__"

        def __init__(self) -> None:
            self.verify = lambda: False
            self.repo, self.handler = MagicMock(), None

    exports = Exports()
    exports.form(thing := Thing())

    for name in ("verify", "repo"):
        with pytest.raises(TypeError, match="a method"):
            exports.serve("setattr", 0, [name, 1], {})
    exports.serve("setattr", 0, ["handler", 5], {})
    assert thing.handler == 5


def test_a_test_gets_no_parameters_from_the_program() -> None:
    def test_it(x: int = 1) -> None: ...

    exports = Exports(["test_it"])
    exports.collected = frozenset({"test_it"})
    exports.form(test_it)

    with pytest.raises(AssertionError, match="its parameters"):
        exports.serve("call", 0, [2], {})
    assert exports.unfinished() == ["test_it"]
    exports.serve("call", 0, [], {})
    assert exports.unfinished() == []


def test_a_method_of_a_test_gets_no_self_from_the_program() -> None:
    class Case:
        __module__ = "__main__"

        def test_it(self) -> None: ...

    exports = Exports(["test_it"])
    exports.form(Case.test_it)

    for args in ([], [5], [object()]):
        with pytest.raises(AssertionError, match="its parameters"):
            exports.serve("call", 0, args, {})
    exports.serve("call", 0, [Case()], {})
    assert exports.unfinished() == []


def test_a_function_that_came_home_tells_that_it_came_to_its_end() -> None:
    def verify() -> int:
        return 5

    exports = Exports(["verify"])
    form = exports.form(verify)
    home = exports.home(0)

    assert exports.form(home)[:2] == form[:2]
    assert exports.home(0) is home
    assert exports.unfinished() == ["verify"]
    assert home() == 5
    assert exports.unfinished() == []


def test_an_asynchronous_function_has_not_ended_when_it_was_called() -> None:
    async def verify() -> None: ...

    exports = Exports(["verify"])
    exports.form(verify)
    exports.serve("call", 0, [], {}).close()

    assert exports.unfinished() == ["verify"]


def test_of_a_function_its_parameters_cross_and_no_default() -> None:
    def add(a: int, b: float = 42, /, *rest: int, c: str = "42", **more: int) -> int:
        """Adds."""
        return 42

    form = Exports().form(add)

    parameters = [["a", "b"], [], ["rest"], ["c"], ["more"], ["b", "c"]]
    assert form[:3] == ["fn", 0, "add"]
    assert form[3][:6] == parameters
    assert form[3][6] == "Adds."
    assert "42" not in str(form)


def test_a_function_that_asserts_has_no_docstring_for_the_program() -> None:
    def verify(x: int) -> None:
        """Is 42."""

    assert Exports(["verify"]).form(verify)[3][6] is None


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [((1,), {}), ((1, 2), {}), ((1,), {"c": 3}), ((1, 2, 3, 4), {"c": 5, "d": 6})],
    ids=["least", "optional", "keyword", "all"],
)
def test_a_stand_in_with_the_parameters_passes_on_what_it_was_given(
    args: tuple[int, ...], kwargs: dict[str, int]
) -> None:
    seen: list[Any] = []

    class Home:
        def call_home(self, *told: Any, **named: Any) -> None:
            seen.append((told[2:], named))

    shape = [[], ["a", "b"], ["rest"], ["c"], ["more"], ["b", "c"], "Adds.", [["a", "int"]]]
    stand_in: Any = visiting(Home(), 0, "add", shape)  # type: ignore[arg-type]
    stand_in(*args, **kwargs)

    assert seen == [(args, kwargs)]
    assert list(inspect.signature(stand_in).parameters) == ["a", "b", "rest", "c", "more"]
    assert (stand_in.__name__, stand_in.__doc__) == ("add", "Adds.")
    assert stand_in.__annotations__ == {"a": int}


class Numpy(ModuleType):
    """As much of numpy as forms of arrays need."""

    class ndarray:  # noqa: N801 - numpy's name
        __module__ = "numpy"

        def __init__(self, items: Any, dtype: str) -> None:
            self.items = items
            self.dtype = SimpleNamespace(str=dtype)

        def tolist(self) -> Any:
            return self.items

    array = ndarray


def test_an_array_crosses_with_the_type_of_its_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", numpy := Numpy("numpy"))

    form = arrays.form(numpy.array([1.5], "<f8"), list)
    back = arrays.made(*form[1:])

    assert form == ["A", "<f8", [1.5]]
    assert (type(back), back.items, back.dtype.str) == (numpy.ndarray, [1.5], "<f8")


def test_an_array_is_a_list_where_numpy_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "numpy", raising=False)

    assert arrays.made("<f8", [1.5]) == [1.5]


def test_an_array_of_objects_crosses_as_a_list() -> None:
    assert arrays.form(Numpy.ndarray([1], "|O"), list) == [1]
