"""Where records come from, and which fields of a row are whose."""

import csv
import datetime
import gzip
import math
import re
import sys
from types import SimpleNamespace

import pyarrow
import pytest
from dataset_kit import MAPPING, ROWS, dataset, inline, jsonl, panel, records
from pyarrow import parquet

from evalsi.core import DataError, SpecError


def as_csv(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def write(path, rows=ROWS):
    """Rows in the form that the file's name says."""
    plain = path.with_name(path.name.removesuffix(".gz"))
    if plain.suffix == ".jsonl":
        jsonl(plain, rows)
    elif plain.suffix == ".csv":
        as_csv(plain, rows)
    else:
        parquet.write_table(pyarrow.Table.from_pylist(rows), plain)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(plain.read_bytes()))


@pytest.mark.parametrize("name", ["d.jsonl", "d.jsonl.gz", "d.csv", "d.csv.gz", "d.parquet"])
def test_a_file_beside_the_spec_is_read_in_its_form(tmp_path, name):
    write(tmp_path / name)
    found = panel(tmp_path, path=name, mapping=MAPPING, limit=3)
    first = records(found)[0]
    assert found.ids == ("q0", "q1", "q2")
    assert (first.input, str(first.reference), dict(first.metadata)) == (
        "0 + 1?",
        "1",
        {"level": "easy"},
    )


def test_a_csv_cell_may_hold_lines_commas_and_much(tmp_path):
    text = 'a, "b"\n' + "x" * 200_000
    as_csv(tmp_path / "d.csv", [{"input": text}])
    assert records(panel(tmp_path, path="d.csv"))[0].input == text


def test_a_mapping_moves_fields_and_reaches_into_them():
    row = {"q": {"text": "why?"}, "gold": ["a"], "kind": "harmful", "n": 7}
    mapping = {"input": "q.text", "reference": "gold", "metadata.group": "kind", "id": "n"}
    (record,) = records(inline([row], mapping=mapping))
    assert (record.id, record.input, record.reference) == ("7", "why?", ["a"])
    assert record.metadata["group"] == "harmful"


def test_nested_metadata_is_the_records_metadata():
    row = {"input": "x", "metadata": {"kind": "benign"}, "topic": "t"}
    (record,) = records(inline([row]))
    assert dict(record.metadata) == {"kind": "benign", "topic": "t"}


def test_an_output_column_of_a_dataset_is_metadata():
    (record,) = records(inline([{"input": "x", "output": "theirs", "completion": "too"}]))
    assert record.output == ""
    assert dict(record.metadata) == {"output": "theirs", "completion": "too"}


def test_chat_messages_are_kept_as_they_are():
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    (record,) = records(inline([{"messages": messages}]))
    assert record.messages == messages
    assert record.input == "Be brief.\n\nHi"


@pytest.mark.parametrize("name", ["d.jsonl", "d.csv", "d.parquet"])
def test_the_number_of_a_row_is_the_same_in_every_form(tmp_path, name):
    write(tmp_path / name, [{"input": "x"}, {"input": "y"}])
    assert panel(tmp_path, path=name).ids == ("1", "2")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"question": "x"}, ["records:1 has no input", "it has question"]),
        ({"input": 7}, ["`prompt` is int"]),
    ],
    ids=["no input", "a number"],
)
def test_a_row_that_cannot_be_asked_is_named(row, words):
    with pytest.raises(DataError) as caught:
        inline([row])
    assert all(word in str(caught.value) for word in words)


def test_a_mapping_to_a_field_that_is_not_there_names_both():
    with pytest.raises(DataError, match=r"no 'quest', which dataset.mapping.input names; it has"):
        inline(ROWS, mapping={"input": "quest"})


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("d.jsonl", b'{"input": "x"}\n{oops\n', ["d.jsonl:2:2", "one JSON object"]),
        ("d.jsonl", b"[1]\n", ["d.jsonl:1", "is list"]),
        ("d.jsonl", b'{"input": "\xff"}\n', ["d.jsonl:1", "not UTF-8"]),
        ("d.jsonl.gz", b"no gzip", ["d.jsonl.gz cannot be read"]),
        ("d.csv", b"input,a\nx\n", ["d.csv:2", "cells"]),
        ("d.csv", b"input,a,a\nx,1,2\n", ["d.csv:1", "a heading twice"]),
        ("d.csv", b"input\n\xff\n", ["not UTF-8"]),
        ("d.parquet", b"PAR1", ["cannot be read as Parquet"]),
        ("d.txt", b"x", ["none of .jsonl, .csv, .parquet"]),
    ],
    ids=[
        "malformed",
        "no object",
        "no UTF-8",
        "no gzip",
        "cells",
        "headings",
        "CSV",
        "Parquet",
        "text",
    ],
)
def test_a_file_that_cannot_be_read_is_one_clear_sentence(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        panel(tmp_path, path=name)
    assert all(word in str(caught.value) for word in words)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"d\.jsonl cannot be read: No such file"):
        panel(tmp_path, path="d.jsonl")


@pytest.mark.parametrize(
    ("library", "extra", "uri"),
    [("fsspec", "remote", "s3://bucket/d.jsonl"), ("datasets", "hf", "hf://openai/gsm8k")],
    ids=["a URL", "the hub"],
)
def test_a_library_that_is_not_there_is_named_with_its_extra(monkeypatch, library, extra, uri):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(DataError, match=rf"pip install 'evalsi-core\[{extra}\]'"):
        panel(uri=uri)


def test_a_url_is_opened_by_fsspec(monkeypatch, tmp_path):
    write(tmp_path / "d.jsonl.gz")
    opened = []

    def opens(place, mode):
        opened.append((place, mode))
        return (tmp_path / "d.jsonl.gz").open(mode)

    monkeypatch.setitem(sys.modules, "fsspec", SimpleNamespace(open=opens))
    assert len(panel(uri="s3://bucket/d.jsonl.gz?version=2", mapping=MAPPING)) == len(ROWS)
    assert opened[0] == ("s3://bucket/d.jsonl.gz?version=2", "rb")


def hub(monkeypatch, rows):
    asked = []

    def loads(*place, **options):
        asked.append((place, options))
        return rows

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=loads))
    return asked


def test_the_hub_is_asked_for_config_split_and_revision(monkeypatch):
    asked = hub(monkeypatch, ROWS)
    uri = "hf://openai/gsm8k?config=main&split=train&revision=r1"
    assert len(panel(uri=uri, mapping=MAPPING, limit=5)) == 5
    assert asked[0] == (("openai/gsm8k", "main"), {"split": "train", "revision": "r1"})


def test_what_json_has_no_word_for_becomes_text(monkeypatch):
    hub(monkeypatch, [{"input": "x", "day": datetime.date(2026, 1, 2), "none": None}])
    (record,) = records(panel(uri="hf://a/b"))
    assert dict(record.metadata) == {"day": "2026-01-02", "none": None}


def test_a_typing_error_in_a_hub_uri_is_named(monkeypatch):
    hub(monkeypatch, ROWS)
    with pytest.raises(DataError, match=r"write hf://owner/name\?config=…&split=…, without spilt"):
        panel(uri="hf://a/b?spilt=test")


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"path": "a.jsonl", "uri": "hf://a"},
        {"path": "a.jsonl", "seed": 1},
        {"path": "a.jsonl", "limit": 5, "stratify": "level"},
        {"path": "a.jsonl", "mapping": {"prompt": "x"}},
        {"path": "a.jsonl", "limit": 0},
        {"inline": {"records": []}},
    ],
    ids=["none", "two", "seed alone", "strata alone", "foreign field", "no limit", "empty"],
)
def test_a_dataset_that_makes_no_sense_is_refused(fields):
    with pytest.raises(SpecError, match="dataset"):
        dataset(**fields)


@pytest.mark.parametrize(
    ("row", "place"),
    [
        ('{"input": "1", "answer": NaN}', "answer"),
        ('{"input": "1", "answer": 1e999}', "answer"),
        ('{"input": "1", "kept": {"x": [1, -Infinity]}}', "kept.x[1]"),
    ],
    ids=["NaN", "too large", "within"],
)
def test_a_number_that_json_has_not_is_refused(tmp_path, row, place):
    (tmp_path / "d.jsonl").write_text(f'{{"input": "0"}}\n{row}\n')
    with pytest.raises(DataError, match=re.escape(f"d.jsonl:2: {place} is NaN or infinite")):
        panel(tmp_path, path="d.jsonl")


def test_a_missing_number_of_a_table_is_no_number(tmp_path):
    write(tmp_path / "d.parquet", [{"input": "0", "seen": 1.0}, {"input": "1", "seen": math.nan}])
    with pytest.raises(DataError, match=re.escape("d.parquet:2: seen is NaN or infinite")):
        panel(tmp_path, path="d.parquet")


@pytest.mark.parametrize("depth", [600, 100_000])
def test_a_row_that_is_nested_too_deeply_is_refused(tmp_path, depth):
    row = '{"input": "1", "kept": ' + "[" * depth + "]" * depth + "}"
    (tmp_path / "d.jsonl").write_text(f'{{"input": "0"}}\n{row}\n')
    with pytest.raises(DataError, match=re.escape("d.jsonl:2")):
        panel(tmp_path, path="d.jsonl")
