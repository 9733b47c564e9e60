"""`replay`: outputs that were recorded before, and which recording it was."""

import asyncio
import gzip
import json

import pytest
from run_kit import document, go

from evalsi.core import DataError, SpecError
from evalsi.core.chat import Output, Request, ServerError
from evalsi.core.connectors.replay import Replay, ReplayParams

HELLO = Request("hello", id="r1")


def made(path):
    return Replay(ReplayParams(path=str(path)))


def asked(connector, *requests):
    async def all_of_them():
        return [await connector.generate(request) for request in requests]

    return asyncio.run(all_of_them())


ROWS = [
    {"id": "r1", "output": "one"},
    {"id": "r1", "trial": 1, "output": {"text": "two", "finish": "length", "output_tokens": 3}},
    {"id": 2, "output": {"text": ""}},
    {"id": "r3", "output": {"failure": {"kind": "server"}}},
]


def lines(rows):
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n\n"


FILES = {
    "outputs.jsonl": lines(ROWS).encode(),
    "outputs.jsonl.gz": gzip.compress(lines(ROWS).encode()),
    "result.json": json.dumps({"name": "run", "records": ROWS}).encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_replay_gives_recorded_outputs(tmp_path, name):
    (tmp_path / name).write_bytes(FILES[name])
    connector = made(tmp_path / name)
    one, two, empty = asked(connector, HELLO, Request("x", id="r1", sample=1), Request("x", id="2"))
    assert one == Output("one")
    assert two == Output("two", "length", None, 3)
    assert empty.empty


def test_an_output_that_was_not_recorded_is_missing_and_not_empty(tmp_path):
    (tmp_path / "o.jsonl").write_text(lines(ROWS))
    connector = made(tmp_path / "o.jsonl")
    for request in (Request("x", id="r9"), Request("x", id="r3"), Request("x", id="r1", sample=2)):
        with pytest.raises(ServerError) as raised:
            asked(connector, request)
        assert (raised.value.cause, raised.value.retryable) == ("missing", False)
        assert repr(request.id) in str(raised.value)


def test_a_line_separator_in_an_output_ends_no_line(tmp_path):
    (tmp_path / "o.jsonl").write_text(lines([{"id": "r1", "output": "a\u2028b\x85c"}]))
    (output,) = asked(made(tmp_path / "o.jsonl"), HELLO)
    assert output.text == "a\u2028b\x85c"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"id": "a"', "o.jsonl:1 is no JSON"),
        ('{"output": "x"}', "o.jsonl:1 has no `id`"),
        ('{"id": "a", "output": "x"}\n{"id": "b"}', "o.jsonl:2 has no `output`"),
        ('{"id": "a", "trial": "1", "output": "x"}', "`trial` that is no whole number"),
        ('{"id": "a", "output": "x"}\n{"id": "a", "output": "y"}', "o.jsonl:2 is a second output"),
        ('{"id": "a", "output": {"text": "x", "output_tokens": "5"}}', "'5' as `output.output_tok"),
        ('{"id": "a", "output": {"text": "x", "seconds": NaN}}', "nan as `output.seconds`"),
        ('{"id": "a", "output": {"text": "x", "finish": 5}}', "5 as `output.finish`"),
    ],
)
def test_a_recording_that_cannot_be_read_is_refused_with_its_line(tmp_path, text, told):
    (tmp_path / "o.jsonl").write_text(text)
    with pytest.raises(DataError) as raised:
        made(tmp_path / "o.jsonl")
    assert told in str(raised.value)


def test_a_recording_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        made(tmp_path / "none.jsonl")


def recorded(path, answer):
    path.write_text(lines([{"id": "1", "output": answer}]))
    return {"connector": "replay", "path": str(path)}


def test_a_run_does_not_go_on_with_another_recording(tmp_path):
    out, path = tmp_path / "result.json", tmp_path / "o.jsonl"
    go(["x"], target=recorded(path, "1"), out=out)
    assert len(document(out)["target"]["revision"]) == 16
    with pytest.raises(DataError, match="another target"):
        go(["x"], target=recorded(path, "0"), out=out)
    assert go(["x"], target=recorded(path, "1"), out=out).metrics["says"].mean == 1.0


def test_a_recording_that_is_not_there_refuses_the_spec(tmp_path):
    with pytest.raises(SpecError, match=r"core:replay: .*none.jsonl cannot be read: No such"):
        go(["x"], target={"connector": "replay", "path": str(tmp_path / "none.jsonl")})
