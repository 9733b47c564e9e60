"""`rescore`: every score is new, and every output is there."""

import pytest
from run_kit import document, go, host, spec_of

from evalsi.core import DataError
from evalsi.core.run.document import ResultFile
from evalsi.core.run.plan import checked
from evalsi.core.run.rescore import Changes, work_of_result
from evalsi.core.run.runner import perform

INPUTS = ["1", "0", "0.5"]


@pytest.fixture
def result(tmp_path):
    out = tmp_path / "result.json"
    go(INPUTS, out=out, trials=2)
    return out


def rescored(result, out=None):
    """What changed; raises what rescoring raises."""
    earlier = ResultFile.of(result)
    work = work_of_result(earlier, checked(spec_of(INPUTS, trials=2), host=host()))
    changes = Changes(earlier)
    perform(work, out, watch=changes.take)
    return changes.found


def forged(result, before, after):
    result.write_text(result.read_text().replace(before, after, 1))


def test_a_score_that_was_written_into_the_result_is_found(result, tmp_path):
    forged(result, '"value":0.0', '"value":1.0')
    for _ in range(2):  # the second goes on with the first, whose scores are new
        (change,) = rescored(result, tmp_path / "new.json")
        assert (change.id, change.before["value"], change.after["value"]) == ("2", 1.0, 0.0)


def test_scores_of_the_result_itself_are_not_taken_for_new_ones(result):
    held = result.read_bytes()
    with pytest.raises(DataError, match="not new"):
        rescored(result, result)
    assert result.read_bytes() == held


def test_outputs_of_two_results_are_not_mixed(result, tmp_path):
    new = tmp_path / "new.json"
    rescored(result, new)
    forged(result, '"text":"0.5"', '"text":"1"')
    with pytest.raises(DataError, match="outputs of another result"):
        rescored(result, new)
    assert document(new)["metrics"]["says"]["mean"] == 0.5


def without_a_row(lines):
    return [line for line in lines if '"id":"2","trial":1' not in line]


def with_a_row(lines):
    end = lines.index("]," if "]," in lines else "]")
    return [*lines[: end - 1], lines[end - 1] + ",", *lines[end - 1 :]]


def without_scores(lines):
    return [line.replace('"scores":', '"notes":') for line in lines]


def with_odd_trials(lines):
    return [line.replace('"trials": 2', '"trials": "2"') for line in lines]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (without_a_row, "has not 2 rows of record '2'"),
        (with_a_row, "more rows than its 3 records have trials"),
        (without_scores, "a row of record '1' is none that `evalsi run` writes: 'scores'"),
        (with_odd_trials, "it has '2' trials"),
    ],
    ids=["a row less", "a row more", "no scores", "no number"],
)
def test_a_result_that_is_not_whole_is_refused(result, change, words):
    result.write_text("\n".join(change(result.read_text().split("\n"))))
    with pytest.raises(DataError, match=words):
        rescored(result)
