"""contamination: the file that its params name, from the spec to the digest."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from evalsi.core.errors import DataError, SpecError
from evalsi.core.reward import load_reward
from evalsi.core.run.plan import checked, work_of
from evalsi.core.run.runner import perform
from evalsi_pack_general import contamination as room
from evalsi_pack_general import training_texts as reading
from evalsi_pack_general.training_texts import training_texts

TEXT = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
SPEC = """\
apiVersion: evals.si/v1alpha1
kind: EvalRun
metadata: {name: clean}
spec:
  target: {connector: echo}
  dataset: {inline: {records: [{id: a, input: "%s"}]}}
  evaluators:
    - ref: contamination
      params:
        path: %s
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "train.txt").write_text(TEXT)
    path = folder / "clean.yaml"
    path.write_text(SPEC % (TEXT, "train.txt"))
    return path


def share(path: Path) -> float | None:
    return perform(work_of(checked(path))).metrics["contamination"].mean


def digest(path: Path) -> str:
    (bound,) = checked(path).bounds
    return bound.by.params


def refused(path: Path) -> str:
    with pytest.raises(SpecError) as caught:
        checked(path)
    (issue,) = caught.value.issues
    return issue


def test_a_relative_path_starts_beside_the_spec(spec: Path) -> None:
    assert share(spec) == 1.0


def test_the_path_of_a_mapping_starts_in_the_working_folder(
    spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(spec.parent)
    reward = load_reward(
        {"components": [{"ref": "contamination", "params": {"path": "train.txt"}}]}
    )
    monkeypatch.chdir("/")
    (scored,) = reward.score([{"prompt": TEXT, "completion": ""}])
    assert scored.total == 1.0


def test_a_pickled_reward_finds_its_file_from_anywhere(
    spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = spec.with_name("reward.yaml")
    head = "apiVersion: evals.si/v1alpha1\nkind: RewardSpec\nmetadata: {name: r}\nspec:\n"
    part = "  components: [{ref: contamination, params: {path: train.txt}}]\n"
    path.write_text(head + part)
    monkeypatch.chdir("/")
    pickled = pickle.dumps(load_reward(path))
    (scored,) = pickle.loads(pickled).score([{"prompt": TEXT, "completion": ""}])
    assert scored.total == 1.0


def test_where_the_file_lies_is_no_part_of_the_digest(spec: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    spec.parent.rename(moved)
    assert digest(moved / spec.name) == digest_of_copy(moved, tmp_path / "copy")


def digest_of_copy(folder: Path, copy: Path) -> str:
    copy.mkdir()
    for file in folder.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    return digest(copy / "clean.yaml")


def test_other_content_at_the_same_path_is_another_digest_and_another_score(spec: Path) -> None:
    before = digest(spec), share(spec)
    spec.with_name("train.txt").write_text("another " * 20)
    assert digest(spec) != before[0]
    assert (before[1], share(spec)) == (1.0, 0.0)


def test_a_run_is_not_gone_on_with_other_training_data(spec: Path, tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    perform(work_of(checked(spec)), out)
    spec.with_name("train.txt").write_text("another " * 20)
    with pytest.raises(DataError, match=r"contamination: .* a file that they name"):
        perform(work_of(checked(spec)), out)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("no.txt", "No such file or directory"),
        (".", "it is no file"),
        ("/dev/zero", "it is no file"),
    ],
)
def test_a_path_that_is_no_file_is_refused_at_its_line(spec: Path, path: str, told: str) -> None:
    spec.write_text(SPEC % (TEXT, path))
    issue = refused(spec)
    assert issue.startswith(f'{spec}:10:15: spec.evaluators[0].params.path is "{path}"; ')
    assert told in issue


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("bad.jsonl", b'{"text": "a"}\n{"text', "bad.jsonl:2:2 is no JSON"),
        ("bad.jsonl.gz", b"no gzip", "Not a gzipped file"),
        ("cut.txt.gz", gzip.compress(TEXT.encode() * 99, mtime=0)[:60], "Compressed file ended"),
        ("bad.parquet", b"no parquet", "bad.parquet cannot be read as Parquet"),
        ("short.txt", b"one two", "holds no text of 13 words"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_at_its_line(
    spec: Path, name: str, content: bytes, told: str
) -> None:
    spec.with_name(name).write_bytes(content)
    spec.write_text(SPEC % (TEXT, name))
    issue = refused(spec)
    assert issue.startswith(f"{spec}:10:15: spec.evaluators[0].params.path: ")
    assert told in issue


def test_a_field_that_no_row_has_is_told_with_those_it_has(spec: Path) -> None:
    spec.with_name("train.jsonl").write_text(json.dumps({"text": TEXT}))
    spec.write_text(SPEC % (TEXT, "train.jsonl\n        field: body"))
    assert "row 1 has no 'body'; it has text" in refused(spec)


def rows_of(kind: str, path: Path) -> Path:
    if kind == ".parquet":
        chat = [[{"role": "user", "content": TEXT}]]
        parquet.write_table(pa.table({"n": [1], "messages": chat}), path)
    elif kind == ".csv":
        path.write_text(f'n,text\n1,"{TEXT}"\n')
    else:
        path.write_bytes(gzip.compress(f'n,text\n1,"{TEXT}"\n'.encode()))
    return path


@pytest.mark.parametrize("kind", [".parquet", ".csv", ".csv.gz"])
def test_tables_are_read_as_rows(spec: Path, kind: str) -> None:
    rows_of(kind, spec.with_name(f"train{kind}"))
    spec.write_text(SPEC % (TEXT, f"train{kind}"))
    assert share(spec) == 1.0


def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_LONGEST", 100)
    path = tmp_path / "bomb.txt.gz"
    path.write_bytes(gzip.compress(b"a " * 1000))
    with pytest.raises(DataError, match="has a line of more than 64 MiB"):
        list(training_texts(path, None))


def test_a_long_text_is_indexed_in_pieces_as_if_it_were_one(
    spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = " ".join(f"w{number}" for number in range(200))
    whole = _found(spec, words)
    monkeypatch.setattr(room, "_PIECE", 17)
    assert _found(spec, words + " ") == whole == (1.0, 1.0, 1.0)


def _found(spec: Path, words: str) -> tuple[Any, ...]:
    spec.with_name("train.txt").write_text(words)
    spec.write_text(SPEC % (words, "train.txt"))
    metrics = perform(work_of(checked(spec))).metrics
    names = ("contamination", "contamination.similarity", "contamination.flagged")
    return tuple(metrics[name].mean for name in names)
