"""How a spec's text is read: YAML 1.2 and JSON, every mark kept, nothing expanded without bound."""

import json
import math

import pytest

from evalsi.core import SpecError
from evalsi.core.spec.issues import Mark
from evalsi.core.spec.located import located
from evalsi.core.spec.source import read


def data(text):
    return read(text if "\n" in text else text + "\n").data


def refusal(given):
    with pytest.raises(SpecError) as caught:
        read(given)
    return str(caught.value)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *((word, word) for word in ("no", "on", "yes", "off", "y", "N", "NO")),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, None) for word in ("null", "~", "Null", "NULL", "")),
        ("12", 12),
        ("-3", -3),
        ("010", 10),
        ("0o17", 15),
        ("0x1F", 31),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("1e3", 1000.0),
        ("1E-2", 0.01),
        (".5", 0.5),
        ("5.", 5.0),
        ("-.inf", -math.inf),
        ("12:30:45", "12:30:45"),
        ("2026-11-29", "2026-11-29"),
        ("=", "="),
        ("'12'", "12"),
        ('"true"', "true"),
        ("!!str 12", "12"),
        ("!!int '12'", 12),
        ("!!float 12", 12.0),
        ("! 12", "12"),
    ],
)
def test_scalars_follow_the_core_schema_of_yaml_1_2(written, meant):
    value = data(f"a: {written}")["a"]
    assert (type(value), value) == (type(meant), meant)


def test_not_a_number_is_a_float():
    assert math.isnan(data("a: .nan")["a"])


def test_a_key_is_text_whatever_it_looks_like():
    assert data("{on: 1, 2: 3, null: 4}") == {"on": 1, "2": 3, "null": 4}


def test_an_alias_stands_for_what_its_anchor_has():
    assert data("a: &x [1, 2]\nb: *x")["b"] == [1, 2]


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    path = tmp_path / "spec.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read(path).data == {"a": 1}


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_a_line_may_end_in_any_way(end):
    source = read(f"a: 1{end}b: 2{end}\n")
    assert source.mark(("b",)) == Mark(2, 4)


def test_json_may_have_tabs():
    assert read('{\n\t"a":\t[1,\t2]\n}\n').mark(("a", 1)) == Mark(2, 11)


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, 2.5, True, None, "x"], "b": {}, "c": [], "d": [[], [[]], {}]},
        {
            "smile": "\U0001f600",
            "line": "a\u2028b",
            "slash": "a/b",
            "nul": "\x00",
            "delete": "\x7f",
        },
        {"big": 10**30, "small": -1e-7, "empty": "", "": 0},
    ],
    ids=["containers", "characters", "numbers"],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_json_is_read_as_json(value, indent):
    assert read(json.dumps(value, indent=indent)).data == value


def test_the_marks_of_json_are_those_of_its_values():
    source = read('{"a": {"b": [10, 20]},\n "c": "d"}')
    assert source.mark(("a", "b", 1)) == Mark(1, 18)
    assert source.mark(("c",)) == Mark(2, 7)
    assert source.mark(("c",), at_key=True) == Mark(2, 2)


def test_what_has_no_mark_has_that_of_what_is_around_it():
    assert read("a: &x {b: 1}\nc: *x\n").mark(("c", "b")) == Mark(2, 4)


@pytest.mark.parametrize("text", ["a: 1\nb: 2\na: 3\n", '{"a": 1,\n"b": 2, "a": 3}'])
def test_a_key_given_twice_is_an_issue_that_names_both_places(text):
    (issue,) = read(text).issues
    assert issue.path == ("a",)
    assert issue.message.startswith("is given twice: at line 1, column ")
    assert ", and again at line " in issue.message


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        ("a: [1, 2\n", "2:1", "this is not YAML"),
        ("a:\n\tb: 1\n", "2:1", "indent with spaces"),
        ("a: 1\n---\nb: 2\n", "2:1", "a file holds one spec"),
        ("\n\n", "1:1", "is empty"),
        ("# only a comment\n", "1:1", "is empty"),
        ("a: &x {b: *x}\n", "1:11", "stands inside its own anchor"),
        ("a: *x\nb: &x 1\n", "1:4", "has no anchor before it"),
        ("a: &x {b: 1}\nc: {<<: *x}\n", "2:5", "merge keys (<<)"),
        ("? [a]\n: 1\n", "1:3", "a key is text"),
        ("a: !!python/object:os.system x\n", "1:4", "is not known"),
        ("a: !!set {b}\n", "1:4", "the tag !!set is not known"),
        ("a: !!int x\n", "1:4", "stands before 'x', which is none"),
        ("a: 1\nb: x\x07y\n", "2:5", "U+0007"),
        (f"a: {'9' * 5000}\n", "1:4", "5000 digits is too large"),
        (f"a: {'[' * 200}{']' * 200}\n", "1:104", "more than 100 deep"),
        (f'{{"a": {"[" * 200}{"]" * 200}}}', "1:107", "more than 100 deep"),
        ("a: b: c\n", "1:5", "quote a text that has a colon"),
        ("a: @x\n", "1:4", "quote a text that starts with @"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_a_text_that_cannot_be_read_is_told_with_its_place(text, place, told):
    message = refusal(text)
    assert message.startswith(f"<spec>:{place}: ")
    assert told in message


def test_aliases_that_stand_for_billions_of_values_are_refused():
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    assert "expands to more than 100000 values" in refusal("\n".join(lines))


def test_brackets_without_end_are_refused_at_once():
    assert "nest" in refusal("a: " + "[" * 100_000 + "\n")


def test_half_a_surrogate_pair_is_refused():
    assert "half of a surrogate pair" in refusal('{"a": "\\ud800"}')


def test_a_file_that_is_not_there_is_told_with_its_name(tmp_path):
    message = refusal(tmp_path / "absent.yaml")
    assert message == f"{tmp_path}/absent.yaml: the spec cannot be read: No such file or directory"


def test_a_folder_is_no_spec(tmp_path):
    assert "this is a folder" in refusal(tmp_path)


def test_a_text_in_another_encoding_is_refused_with_its_line(tmp_path):
    path = tmp_path / "spec.yaml"
    path.write_bytes("a: 1\nb: gr\xfc\xdf\n".encode("latin-1"))
    assert refusal(path) == f"{path}:2: the spec is not UTF-8; save it as UTF-8"


def test_a_file_larger_than_a_mebibyte_is_refused(tmp_path):
    path = tmp_path / "spec.yaml"
    path.write_text("a: 1\n" + "#" * 1024 * 1024)
    assert "larger than 1 MiB" in refusal(path)


def test_a_path_may_be_text(tmp_path):
    (tmp_path / "spec.yaml").write_text("a: 1")
    assert read(str(tmp_path / "spec.yaml")).data == {"a": 1}


def test_a_mapping_is_copied_as_plain_data():
    given = {"a": (1, 2)}
    assert read(given).data == {"a": [1, 2]}


def endless():
    mapping = {}
    mapping["again"] = mapping
    return mapping


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"a": {1, 2}}, "a is set; a spec holds plain data"),
        ({"a": [{"b": object()}]}, "a[0].b is object; a spec holds plain data"),
        ({"a": {1: 2}}, "a has the key 1; a key is text"),
        ({"a": "\ud800"}, "a holds half of a surrogate pair"),
        ({"a": 1 << 2000}, "a is an integer of 2001 bits; too large"),
        ({"a b": b"x"}, '["a b"] is bytes'),
        (endless(), "nest too deep"),
    ],
    ids=[
        "a-set",
        "an-object",
        "a-number-as-key",
        "a-surrogate",
        "a-huge-number",
        "bytes",
        "endless",
    ],
)
def test_a_mapping_with_what_is_not_plain_is_refused_by_path(given, told):
    assert told in refusal(given)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("api_key: sk-1234, b: 2", "api_key: *******, b: 2"),
        ('"apiKey" : "sk 1234", "b": 2', '"apiKey" : "*******", "b": 2'),
        ("url: http://me:pass@host/v1", "url: http://*******@host/v1"),
        ("url: http://host/v1?api_key=1234&b=2", "url: http://host/v1?api_key=****&b=2"),
        ("api_key_env: NAME, max_tokens: 24", "api_key_env: NAME, max_tokens: 24"),
    ],
)
def test_a_message_does_not_show_a_key_that_stands_in_its_line(line, shown):
    told = located(None, ["first", line], Mark(2, 3), "is wrong")
    assert told == f"<spec>:2:3: is wrong\n    2 | {shown}\n      |   ^"
