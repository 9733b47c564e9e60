"""`transformers serve`, kept warm: checkpoints in turn, from Python and from the command line."""

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
import sums
from serving_kit import descendants, gone, marked
from transformers import AutoTokenizer

from evalsi.training import ServingError, Transformers
from evalsi.training.testing import ServingTrial, check_serving


@pytest.fixture(scope="module")
def warm():
    made = Transformers()
    yield made
    made.close()
    assert descendants() == []


def test_each_checkpoint_comes_to_what_its_model_knows_on_one_server(tmp_path, learnt, warm):
    made = sums.evaluator_of(tmp_path, warm)
    made.evaluate_base(learnt["base"])
    server = descendants()

    results = [made.evaluate(learnt[f"checkpoint-{step}"], step) for step in (10, 20, 30)]

    means = [result.summaries["right"]["mean"] for result in made.history()]
    assert means == pytest.approx(list(learnt.shares.values()))
    assert [result.regressed for result in results] == [False, False, True]
    assert set(server) <= set(descendants())


@pytest.mark.parametrize("fault", ["config", "template", "nan"])
def test_a_broken_checkpoint_is_an_error_with_the_cause_and_the_next_one_is_served(
    tmp_path, learnt, warm, fault
):
    folder = learnt.copy("checkpoint-10", tmp_path / "checkpoint-10")
    told = FAULTS[fault](folder)

    with pytest.raises(ServingError, match=told), warm.serve(str(folder), "sums-10"):
        pass
    with warm.serve(learnt["checkpoint-20"], "sums-20") as served:
        assert served.model == learnt["checkpoint-20"]


def without_a_type(folder):
    (folder / "config.json").write_text('{"a": 1}')
    return "Unrecognized model"


def with_a_template_of_its_own(folder):
    words = AutoTokenizer.from_pretrained(folder)
    words.chat_template = "{% for m in messages %}<user>{{ m['content'] }}{% endfor %}<assistant>"
    words.save_pretrained(folder)
    return "chat template"


def with_nan(folder):
    words, model = AutoTokenizer.from_pretrained(folder), sums.untrained(sums.tokenizer())
    for weights in model.parameters():
        weights.data.fill_(float("nan"))
    sums.saved(model, words, folder)
    return "holds NaN"


FAULTS = {"config": without_a_type, "template": with_a_template_of_its_own, "nan": with_nan}


def test_another_model_at_the_same_path_is_not_taken_for_the_first(tmp_path, learnt, warm):
    folder = learnt.copy("checkpoint-30", tmp_path / "checkpoint-1")
    trial = ServingTrial(warm, str(folder), "")
    spoilt = trial.answer(str(folder))

    for file in Path(learnt["checkpoint-20"]).iterdir():
        (folder / file.name).write_bytes(file.read_bytes())

    assert trial.answer(str(folder)) == trial.answer(learnt["checkpoint-20"]) != spoilt


def test_it_keeps_every_promise_of_a_strategy(learnt):
    trial = ServingTrial(Transformers(), learnt["checkpoint-20"], learnt["checkpoint-30"])

    assert check_serving(trial) == []


def test_the_command_line_watches_and_leaves_nothing(tmp_path, learnt):
    mark = uuid.uuid4().hex
    words = ["checkpoints", "watch", str(learnt.out), "--serve", "transformers", "--once"]
    words += ["--settle", "0", "--base", learnt["base"], "--regression", "right:0.1"]
    words += ["-f", str(sums.spec_of(tmp_path / "spec.json")), "--training-run", "sums"]

    done = subprocess.run(
        [Path(sys.executable).with_name("evalsi"), *words, "--format", "json"],
        cwd=tmp_path,
        env={
            **os.environ,
            "EVALSI_MARK": mark,
            "PYTHONPATH": str(Path(sums.spec.__code__.co_filename).parent),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 3, done.stderr
    steps = json.loads(done.stdout)["steps"]
    assert [step["step"] for step in steps] == ["base", 10, 20, 30]
    assert steps[-1]["status"] == "regressed"
    assert gone(marked(mark), within_s=0)
