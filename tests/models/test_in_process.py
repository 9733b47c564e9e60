"""The examples with the model in the run's own process: what a server gives, without one."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from commands import EXAMPLES, NOBODY, Example, over_file
from lessons import KNOWN
from serving import Server
from sums import check_document, lasting

from evalsi.core import SpecError
from evalsi.core.run import run

RECORDS = KNOWN + 8
CONNECTOR = "core:transformers"


def target(model: Path, **params: Any) -> str:
    """The change that puts the model into the run's process."""
    asked = {"connector": "transformers", "model": str(model), "max_tokens": 24, **params}
    return f"target={json.dumps(asked)}"


def asked_here(
    name: str, model: Path, data: Path, out: Path, *, limit: int = 4, **params: Any
) -> dict[str, Any]:
    """The result of an example in this very process."""
    data_sets = ("dataset.uri=null", f"dataset.path={data}", f"dataset.limit={limit}")
    run(EXAMPLES / name, out=out, sets=[*data_sets, target(model, **params)])
    document: dict[str, Any] = json.loads(out.read_text("utf-8"))
    return document


@pytest.fixture(scope="module")
def local(model: Path, problems: Path, tmp_path_factory: pytest.TempPathFactory) -> Example:
    """forgetting.yaml over GSM8K by the command line, done; no server is anywhere."""
    out = tmp_path_factory.mktemp("local") / "result.json"
    changes = (*over_file(problems, RECORDS), "--set", target(model))
    example = Example("forgetting.yaml", Server(NOBODY, "", out), out, changes)
    told = example.run()
    assert told.code == 0, told.error
    return example


def test_a_run_gives_what_the_server_gives(
    local: Example, server: Server, problems: Path, tmp_path: Path
) -> None:
    out = tmp_path / "served.json"
    served = Example("forgetting.yaml", server, out, over_file(problems, RECORDS))
    assert served.run().code == 0
    check_document(local.document, records=RECORDS, connector=CONNECTOR)
    # Texts, finish reasons and tokens of each record among them.
    assert lasting(local.document)["records"] == lasting(served.document)["records"]
    assert local.document["metrics"] == served.document["metrics"]


def test_the_result_says_which_weights_gave_it(local: Example, model: Path) -> None:
    told = local.document["target"]
    assert (told["model"], told["dtype"]) == (str(model), "float32")
    assert told["backend"].startswith("transformers 5")
    assert told["revision"].startswith("sha256:")
    assert told["revision"] in local.document["identity"]["target"]


def test_a_killed_run_goes_on(local: Example, tmp_path: Path) -> None:
    killed = Example(local.name, local.server, tmp_path / "killed.json", local.changes)
    with killed.under_way(outputs=3) as process:
        os.killpg(process.pid, signal.SIGKILL)
    assert 3 <= killed.answered < RECORDS
    assert killed.run().code == 0
    assert lasting(killed.document) == lasting(local.document)


def test_asdiv_is_scored_as_with_a_server(model: Path, asdiv: Path, tmp_path: Path) -> None:
    document = asked_here("forgetting.yaml", model, asdiv, tmp_path / "out", limit=RECORDS)
    check_document(document, records=RECORDS, connector=CONNECTOR)
    assert document["metrics"]["math-equiv"]["mean"] >= KNOWN / RECORDS


def test_samples_with_a_seed_repeat_in_batches_of_any_size(
    model: Path, problems: Path, tmp_path: Path
) -> None:
    runs = [
        asked_here(
            *("sampling.yaml", model, problems, tmp_path / f"{number}.json"),
            temperature=2.0,
            seed=7,
            batch_size=size,
        )
        for number, size in enumerate((16, 16, 1))
    ]
    check_document(runs[0], records=4, trials=8, connector=CONNECTOR)
    first, second, alone = (lasting(run)["records"] for run in runs)
    assert first == second == alone
    texts = [row["output"]["text"] for row in first]
    assert any(len(set(texts[at : at + 8])) > 1 for at in range(0, len(texts), 8))


def test_a_greedy_target_refuses_trials(model: Path, problems: Path, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"the target is greedy \(temperature 0\)"):
        asked_here("sampling.yaml", model, problems, tmp_path / "out")


def test_weights_that_do_not_load_are_an_error_of_every_record(
    model: Path, asdiv: Path, tmp_path: Path
) -> None:
    half = Path(shutil.copytree(model, tmp_path / "half"))
    os.truncate(half / "model.safetensors", 100_000)
    document = asked_here("forgetting.yaml", half, asdiv, tmp_path / "out")
    metric = document["metrics"]["math-equiv"]
    assert (metric["errors"], metric["n"], metric["mean"]) == (4, 0, None)
    assert document["verdict"] == "none"
    (cause,) = {row["output"]["error"]["message"] for row in document["records"]}
    assert "did not load" in cause


def test_other_weights_in_the_same_folder_are_another_run(
    model: Path, asdiv: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(model, tmp_path / "checkpoint"))
    asked_here("forgetting.yaml", folder, asdiv, tmp_path / "out")
    weights = bytearray((folder / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (folder / "model.safetensors").write_bytes(weights)
    with pytest.raises(Exception, match="another target"):
        asked_here("forgetting.yaml", folder, asdiv, tmp_path / "out")


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"device": "cuda:99"}, "`device: cuda:99` cannot be used"),
        ({"revision": "sha256:0"}, "and not the `revision` sha256:0"),
    ],
    ids=["device", "revision"],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(
    model: Path, asdiv: Path, tmp_path: Path, params: dict[str, str], words: str
) -> None:
    with pytest.raises(SpecError, match=words):
        asked_here("forgetting.yaml", model, asdiv, tmp_path / "out", **params)


def test_a_folder_that_is_not_there_is_told_as_one(asdiv: Path, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="`model: nowhere` is no folder beside the spec"):
        asked_here("forgetting.yaml", Path("nowhere"), asdiv, tmp_path / "out")


def test_a_model_of_the_hub_is_known_by_its_commit(
    model: Path, asdiv: Path, tmp_path: Path
) -> None:
    """As a download leaves it in the hub's cache."""
    commit, held = "0123456789abcdef" * 2 + "01234567", tmp_path / "hub" / "models--owner--tiny"
    shutil.copytree(model, held / "snapshots" / commit)
    (held / "refs").mkdir()
    (held / "refs" / "main").write_text(commit, "utf-8")
    changes = (*over_file(asdiv, 2), "--set", target(Path("owner/tiny")))
    out = tmp_path / "result.json"
    example = Example("forgetting.yaml", Server(NOBODY, "", out), out, changes)
    told = example.run(HF_HOME=str(tmp_path))
    assert told.code == 0, told.error
    assert example.document["target"]["revision"] == commit
    assert example.document["target"]["model"] == "owner/tiny"


def test_code_that_comes_with_a_model_is_not_run(model: Path, asdiv: Path, tmp_path: Path) -> None:
    folder, seen = Path(shutil.copytree(model, tmp_path / "own")), tmp_path / "seen"
    config = json.loads((folder / "config.json").read_text("utf-8"))
    own = {"AutoConfig": "own.Own", "AutoModelForCausalLM": "own.Own"}
    config |= {"auto_map": own, "model_type": "own"}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    (folder / "own.py").write_text(f"open({str(seen)!r}, 'w')\nclass Own: pass\n", "utf-8")
    with pytest.raises(SpecError, match="trust_remote_code"):
        asked_here("forgetting.yaml", folder, asdiv, tmp_path / "out")
    assert not seen.exists()
