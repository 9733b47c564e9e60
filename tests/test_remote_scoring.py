"""The same spec gives the same bytes here and from a server, with real packs and hostile rows.

What differs between any two runs is left out: the seconds and folders in the evidence of programs
that ran, and who of two equal rollouts in a stream came first to the cache.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalsi.core.engine import close_engine
from evalsi.core.reward import LoadedReward, load_reward
from evalsi.core.reward.rows import provenance, row_of

FORMAT = {"ref": "format-check", "name": "format", "weight": 0.1}
MATH = {"ref": "math-equiv", "name": "correct"}
CODE = {
    "ref": "code-exec-tests",
    "name": "tests",
    "weight": 0.7,
    "params": {"timeout_s": 20},
    "sandbox": {"minIsolation": "process"},
}
LONG = {"ref": "overlong-penalty", "name": "long", "params": {"max_length": 60, "buffer": 20}}
SPECS: dict[str, dict[str, Any]] = {
    "sum": {"components": [FORMAT, MATH, CODE, LONG], "onError": "none", "cache": False},
    "gated": {
        "components": [{**FORMAT, "gate": True}, MATH, CODE],
        "onError": "zero",
        "floor": -0.3,
        "clip": [-0.25, 0.75],
        "cache": False,
    },
    "shown": {
        "components": [FORMAT, MATH, {**LONG, "weight": -1e-3}],
        "onError": "zero",
        "cache": False,
    },
    "strict": {"components": [MATH, CODE], "referenceField": "gold"},
    "cached": {"components": [FORMAT, MATH, CODE, LONG], "onError": "none"},
}
TEXTS = (
    *("", " ", "\x00", "\ud800", "\udfff x", "é\u0301", "\u2028", "\u202e42", "😀" * 30, "\ufeff"),
    *(
        "\\boxed{5}",
        "\\boxed{\\frac{1}{3}}",
        "The final answer is: 1,250.",
        "\\boxed{" + "9" * 400 + "}",
    ),
    *("<think>a</think><answer>5</answer>", "<think>\ud83d</think><answer>x</answer>", "$12.00$"),
    *("\\boxed{" * 200, "x" * 30_000, "```python\nprint(int(input()) + 1)\n```", "1e999", "-0.0"),
)
CODES = (
    "def f(n):\n    return n + 1\nprint(f(int(input() or 0)))",
    "print(",
    "raise SystemExit(3)",
    "print('\\ud800')",
    "print(10 ** 200)",
)
ANSWERS = (5, 0.1 + 0.2, 1e308, -0.0, 10**300, 2**63, "5", "1/3", "\ud800", "", None, True, ["5"])
TESTS = (
    [{"input": "1\n", "output": "2\n"}, {"input": "4\n", "output": "4\n"}],
    json.dumps([{"input": "1", "output": "2"}]),
    {"inputs": ["1\n"], "outputs": ["2\n"]},
    ["assert f(1) == 2", "assert f(2) == 2"],
    [{"input": 5}],
    [],
    None,
)


def rollouts(count: int, seed: int) -> list[dict[str, Any]]:
    """Rows as trainers, files and attackers make them; every fifth stands twice."""
    source = random.Random(seed)
    rows = [_row(source, number) for number in range(count)]
    for number in range(5, count, 5):
        rows[number] = {**source.choice(rows[:number]), "id": f"again {number}"}
    return rows


def _row(source: random.Random, number: int) -> dict[str, Any]:
    pick = source.choice
    code = number % 10 == 0
    text = f"```python\n{pick(CODES)}\n```" if code else pick(TEXTS)
    text += f" {number}"
    row: dict[str, Any] = {
        pick(["completion", "output"]): pick([text, [{"role": "assistant", "content": text}]])
    }
    if source.random() < 0.8:
        row[pick(["answer", "gold", "ground_truth", "reference"])] = pick(ANSWERS)
    if source.random() < 0.7:
        row["id"] = pick([number, f"é{number}", f"\ud800{number}", f"{number}\n", -number])
    if source.random() < 0.7:
        row["prompt"] = pick(["p", "", [{"role": "user", "content": [{"text": "q"}]}]])
    if source.random() < 0.5:
        row[pick(["completion_tokens", "completion_ids"])] = [0] * source.randrange(100)
        row |= {"completion_tokens": source.randrange(100)} if "completion_tokens" in row else {}
    if code:
        row["tests"] = pick(TESTS)
    return row | {"level": source.random(), "source": {"é": [1, 1.0, None]}}


STRICT = [
    *[{"completion": f"\\boxed{{{number}}}", "gold": number} for number in range(20)],
    {"completion": "```python\nx\n```", "tests": [{"input": 5}], "id": "broken \ud800"},
    {"completion": "\\boxed{1}", "gold": 1},
]
FILES = {
    "sum": rollouts(500, 1),
    "gated": rollouts(500, 2),
    "shown": rollouts(500, 3),
    "strict": STRICT,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The specs as files, and rollouts that a file can hold."""
    folder = tmp_path_factory.mktemp("scoring")
    for name, body in SPECS.items():
        document = {
            "apiVersion": "evals.si/v1alpha1",
            "kind": "RewardSpec",
            "metadata": {"name": name},
            "spec": body,
        }
        (folder / f"{name}.json").write_text(json.dumps(document))
    for name, rows in FILES.items():
        lines = [json.dumps(row) + "\n" for row in rows]
        (folder / f"{name}.jsonl").write_text("".join(lines))
    return folder


@pytest.fixture
def url(folder: Path) -> Iterator[str]:
    """A server that has scored nothing yet."""
    line = [sys.executable, "-m", "evalsi.core.cli", "rewards", "serve", "--port", "0"]
    specs = [word for name in SPECS for word in ("--spec", str(folder / f"{name}.json"))]
    process = subprocess.Popen([*line, *specs], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    log = ""
    try:
        while "listening on" not in log:
            told = process.stderr.readline()
            assert told, log
            log += told
        yield re.findall(r"listening on (http://\S+)", log)[0]
    finally:
        process.terminate()
        process.communicate(timeout=60)


def score(folder: Path, name: str, *words: str) -> tuple[int, bytes, bytes]:
    """`evalsi rewards score`: its exit code, and all that it prints."""
    line = [sys.executable, "-m", "evalsi.core.cli", "rewards", "score", "--spec", f"{name}.json"]
    done = subprocess.run(
        [*line, "--data", f"{name}.jsonl", *words],
        cwd=folder,
        capture_output=True,
        check=False,
        timeout=300,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("name", "words", "status", "rows"),
    [
        ("sum", [], 0, 500),
        ("gated", [], 0, 500),
        ("shown", ["--evidence"], 0, 500),
        ("strict", ["--evidence"], 2, 20),
    ],
    ids=["a sum", "a gate", "evidence", "an error"],
)
def test_the_command_prints_the_same_bytes(  # noqa: PLR0917 - a table's columns
    folder: Path, url: str, name: str, words: list[str], status: int, rows: int
) -> None:
    there = score(folder, name, *words, "--server", url)
    assert there == score(folder, name, *words)
    assert (there[0], len(there[1].splitlines())) == (status, rows)


def lines(reward: LoadedReward, rows: list[dict[str, Any]]) -> list[str]:
    found = reward.score(rows)
    return [json.dumps([row_of(one), provenance(one)]) for one in found]


def test_rows_that_no_file_holds_give_the_same_bytes(folder: Path, url: str) -> None:
    # Two halves that JSON would join, a tuple, and a column that nothing reads.
    further = {"tests": tuple(TESTS[0]), "image": object()}
    rows = rollouts(500, 4) + [
        {**row, **further, "completion": f"\ud83d\ude00\\boxed{{{number % 9}}}"}
        for number, row in enumerate(rollouts(12, 5))
    ]
    close_engine()
    here = lines(load_reward(folder / "cached.json"), rows)
    there = lines(load_reward(folder / "cached.json", server=url), rows)
    assert there == here
    assert sum('"cached": true' in line for line in here) > 100
