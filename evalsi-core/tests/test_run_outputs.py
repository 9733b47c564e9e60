"""Outputs of a file: which rows are trials of one record."""

import json

import pytest

from evalsi.core import DataError
from evalsi.core.run.given import Outputs


def outputs(folder, *rows):
    path = folder / "o.jsonl"
    path.write_text("".join(json.dumps({"id": "a", "input": "x", **row}) + "\n" for row in rows))
    return Outputs(str(path))


@pytest.mark.parametrize(
    "other", [{"reference": "2"}, {"input": "y"}, {"input": [{"role": "user", "content": "x"}]}]
)
def test_rows_of_another_question_are_no_trials(tmp_path, other):
    first = {"output": "1", "reference": "1"}
    with pytest.raises(DataError, match="rows of the id 'a' differ in prompt or reference"):
        outputs(tmp_path, first, {**first, **other})


def test_trials_may_have_metadata_of_their_own(tmp_path):
    held = outputs(tmp_path, {"output": "1", "took": 3}, {"output": "2", "took": 5})
    (item,) = held.items()
    assert (held.trials, [output.text for output in item.outputs]) == (2, ["1", "2"])
