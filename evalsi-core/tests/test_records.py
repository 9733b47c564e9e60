"""What a rollout becomes: the fields that are read, and the rows that are refused."""

from __future__ import annotations

from typing import Any

import pytest

from evalsi.core import DataError, Record
from evalsi.core.records import REFERENCE_FIELDS, record_of
from evalsi.core.views import view

HOSTILE = {
    "nul": "a\x00b",
    "lone-surrogate": "a\ud800b",
    "right-to-left": "a\u202eb\u2066c",
    "ten-megabytes": "x" * 10_000_000,
    "combining": "e" + "\u0301" * 1000,
}


def record(**fields: Any) -> Record:
    return record_of(fields, 7)


def said(*contents: Any) -> list[dict[str, Any]]:
    return [{"role": "assistant", "content": content} for content in contents]


@pytest.mark.parametrize("name", ["completion", "output"])
def test_the_completion_goes_by_two_names(name: str) -> None:
    assert record_of({name: "42"}, 1).output == "42"


@pytest.mark.parametrize("name", ["prompt", "input"])
def test_the_prompt_goes_by_two_names(name: str) -> None:
    assert record_of({name: "6 * 7?", "output": ""}, 1).input == "6 * 7?"


def test_completion_comes_before_output() -> None:
    assert record(output="second", completion="first").output == "first"


def test_an_output_beside_a_completion_is_metadata() -> None:
    assert record(completion="4", output="the dataset's own").metadata == {
        "output": "the dataset's own"
    }


def test_an_input_beside_a_prompt_is_metadata() -> None:
    assert record(prompt="asked", input="a table", completion="").metadata == {"input": "a table"}


def test_a_name_that_holds_none_gives_way_to_the_other() -> None:
    assert record(completion=None, output="42").output == "42"


def test_an_empty_completion_is_a_completion() -> None:
    assert record(completion="").output == ""


@pytest.mark.parametrize("row", [{}, {"completion": None}, {"prompt": "2?"}], ids=str)
def test_an_absent_completion_is_an_error_of_the_data(row: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=r"rollout 7 has no completion; give `completion` or"):
        record_of(row, 7)


def test_a_missing_prompt_is_an_empty_one() -> None:
    assert record(completion="42").input == ""


@pytest.mark.parametrize("row", [["completion"], "completion", None, 3], ids=str)
def test_a_row_that_is_no_mapping_is_refused(row: Any) -> None:
    with pytest.raises(DataError, match=r"rollout 7 is \w+; it must be a mapping"):
        record_of(row, 7)


@pytest.mark.parametrize(
    ("given", "wanted"), [("r1", "r1"), (12, "12"), (0, "0"), (None, "7"), ("", "")], ids=str
)
def test_the_id_is_text(given: object, wanted: str) -> None:
    assert record(id=given, completion="").id == wanted


def test_a_row_without_an_id_goes_by_its_number() -> None:
    assert record(completion="").id == "7"


@pytest.mark.parametrize("name", REFERENCE_FIELDS)
def test_the_reference_goes_by_five_names(name: str) -> None:
    assert record_of({"completion": "", name: "72"}, 1).reference == "72"


@pytest.mark.parametrize("place", range(len(REFERENCE_FIELDS) - 1))
def test_an_earlier_name_of_the_reference_wins(place: int) -> None:
    first, second = REFERENCE_FIELDS[place : place + 2]
    assert record_of({"completion": "", second: "b", first: "a"}, 1).reference == "a"


def test_a_reference_that_lost_is_metadata() -> None:
    assert record(completion="", reference="a", label="b").metadata == {"label": "b"}


def test_a_reference_of_none_gives_way_to_the_next() -> None:
    assert record(completion="", reference=None, answer="4").reference == "4"


@pytest.mark.parametrize("value", ["", 0, False, 0.5, ["a", "b"], {"x": 1}], ids=repr)
def test_the_reference_stays_as_the_row_holds_it(value: Any) -> None:
    assert record(completion="", reference=value, label="other").reference == value


def test_a_row_without_a_reference_has_none() -> None:
    assert record(completion="").reference is None


def test_the_chosen_reference_field_comes_before_the_usual_ones() -> None:
    made = record_of({"completion": "", "gold": "a", "answer": "b"}, 1, "gold")
    assert (made.reference, made.metadata) == ("a", {"answer": "b"})


def test_a_chosen_reference_field_that_the_row_lacks_gives_no_reference() -> None:
    assert record_of({"completion": "", "answer": "b"}, 1, "gold").reference is None


def test_a_datasets_output_column_can_be_the_reference() -> None:
    made = record_of({"completion": "4", "output": "5"}, 1, "output")
    assert (made.output, made.reference) == ("4", "5")


@pytest.mark.parametrize("chosen", ["completion", "prompt", "id", "completion_ids"])
def test_the_reference_cannot_be_what_is_judged(chosen: str) -> None:
    with pytest.raises(DataError, match=f"referenceField is '{chosen}'"):
        record_of({"prompt": "", "completion": ""}, 1, chosen)


def test_everything_else_goes_to_the_metadata() -> None:
    made = record(id="r", prompt="p", completion="c", answer="a", completion_ids=[1], tests=[1])
    assert made.metadata == {"tests": [1]}


def test_a_chat_completion_is_what_the_assistant_said() -> None:
    assert record(completion=said("one", "two")).output == "one\n\ntwo"


def test_a_single_chat_message_is_a_chat() -> None:
    assert record(completion=said("one")[0]).output == "one"


def test_other_roles_in_a_completion_are_not_the_models_words() -> None:
    chat = [*said("let me look"), {"role": "tool", "content": "42"}, *said("it is 42")]
    assert record(completion=chat).output == "let me look\n\nit is 42"


def test_a_message_without_a_role_is_the_assistants() -> None:
    assert record(completion=[{"content": "42"}]).output == "42"


def test_a_chat_without_an_assistant_is_no_completion() -> None:
    with pytest.raises(DataError, match="`completion` holds no message of the assistant"):
        record(completion=[{"role": "user", "content": "42"}])


def test_an_empty_chat_is_no_completion() -> None:
    with pytest.raises(DataError, match="holds no message of the assistant"):
        record(completion=[])


def test_a_message_that_only_calls_tools_adds_no_text() -> None:
    assert record(completion=said(None, "done")).output == "done"


def test_content_parts_are_joined() -> None:
    parts = [{"type": "text", "text": "4"}, "2", {"type": "image_url", "image_url": "x"}]
    assert record(completion=said(parts)).output == "42"


def test_a_part_whose_text_is_none_adds_no_text() -> None:
    assert record(completion=said([{"type": "image", "text": None}, "42"])).output == "42"


def test_a_chat_prompt_is_the_text_of_every_role() -> None:
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "6 * 7?"}]
    assert record(prompt=chat, completion="").input == "Be brief.\n\n6 * 7?"


def test_a_chat_prompt_is_kept_as_messages() -> None:
    chat = [{"role": "user", "content": "6 * 7?"}]
    assert record(prompt=chat, completion="").messages == chat


def test_a_text_prompt_has_no_messages() -> None:
    assert record(prompt="6 * 7?", completion="").messages is None


@pytest.mark.parametrize(
    ("completion", "message"),
    [
        (42, "`completion` is int; it must be text or chat messages"),
        (b"42", "`completion` is bytes"),
        (["42"], r"`completion`\[0\] is not a chat message; it needs a `content`"),
        ([{"role": "assistant"}], r"`completion`\[0\] is not a chat message"),
        (said(42), r"`completion`\[0\].content is int; it must be text or a list of parts"),
        (said([42]), r"`completion`\[0\].content\[0\] is int; a part is text or a mapping"),
        (said([{"text": 42}]), r"`completion`\[0\].content\[0\].text is int; it must be text"),
    ],
    ids=["number", "bytes", "text-in-list", "no-content", "content", "part", "part-text"],
)
def test_a_completion_of_a_wrong_type_is_told_with_its_place(completion: Any, message: str) -> None:
    with pytest.raises(DataError, match=f"rollout 7, {message}"):
        record(completion=completion)


class Index:
    """A whole number of a foreign library, as numpy's are."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value

    def __lt__(self, other: int) -> bool:
        return self.value < other


@pytest.mark.parametrize(
    ("fields", "count"),
    [
        ({"completion_tokens": 12}, 12),
        ({"completion_tokens": 0}, 0),
        ({"completion_tokens": 12.0}, 12),
        ({"completion_tokens": Index(12)}, 12),
        ({"completion_ids": [1, 2, 3]}, 3),
        ({"completion_ids": []}, 0),
        ({"completion_tokens": None, "completion_ids": (1, 2)}, 2),
        ({"completion_tokens": 12, "completion_ids": [1]}, 12),
        ({}, None),
    ],
    ids=["count", "zero", "float", "foreign", "ids", "no-ids", "none", "both", "neither"],
)
def test_tokens_are_a_count_or_a_list_of_ids(fields: dict[str, Any], count: int | None) -> None:
    assert record(completion="", **fields).output_tokens == count


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"completion_tokens": "12"}, "`completion_tokens` is '12'; it must be a whole number"),
        ({"completion_tokens": True}, "`completion_tokens` is True; it must be a whole number"),
        ({"completion_tokens": 1.5}, "`completion_tokens` is 1.5; it must be a whole number"),
        ({"completion_tokens": -1}, "`completion_tokens` is -1; it cannot be negative"),
        ({"completion_ids": 12}, "`completion_ids` is int; it must be a list"),
        ({"completion_ids": "12"}, "`completion_ids` is str; it must be a list"),
    ],
    ids=["text", "bool", "fraction", "negative", "ids-number", "ids-text"],
)
def test_a_token_count_that_is_none_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=f"rollout 7, {message}"):
        record(completion="", **fields)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_completion_stays_as_it_is(text: str) -> None:
    assert record(completion=text).output == text


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_message_stays_as_it_is(text: str) -> None:
    assert record(completion=said([text])).output == text


def test_a_view_holds_the_fields_that_are_read() -> None:
    seen = view(record(completion="42", answer="42", tests=[1]), ("output",), ("tests",))
    assert (seen.output, seen.metadata) == ("42", {"tests": [1]})


def test_a_view_says_how_to_read_more() -> None:
    seen = view(record(completion="42"), ("output",), ())
    with pytest.raises(AttributeError, match="'reference' is not in this evaluator's `reads`"):
        _ = seen.reference


def test_a_view_of_all_metadata_holds_all_of_it() -> None:
    assert view(record(completion="", a=1, b=2), ("output",), None).metadata == {"a": 1, "b": 2}


def test_a_view_passes_over_metadata_that_the_row_lacks() -> None:
    assert view(record(completion="", a=1), ("output",), ("a", "b")).metadata == {"a": 1}
