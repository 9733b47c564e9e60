"""Labelled programs, honest and hostile, on both paths and with both launchers.

Every row runs on the fast path of the engine's own sandbox; the other ways run a part of the
rows, the same part each time, unless `EVALSI_CORPORA` is `all` (the nox session `corpora`).
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evalsi.core.engine import current_engine
from evalsi.core.errors import SandboxUnavailable
from evalsi.core.evaluator import Tools
from evalsi.core.records import record_of
from evalsi.core.results import Score
from evalsi.core.sandbox import Limits, OneShotFork, Program, PythonFork
from evalsi_pack_rl.code_exec import CodeExecTests, CodeExecTestsParams
from evalsi_sandbox.namespaced import NamespacedRung

TESTDATA = Path(__file__).parents[2] / "testdata"
LABELS = ("expected_score", "why", "source", "kind", "compare", "wait", "integrity")
WAITS = ("p-swallow", "p-sleep", "p-close-stdout", "p-regex", "p-fork-survive", "a-swallow")
BOMBS = ("p-mem-fork",)  # two gigabytes, where nothing caps the jail as a whole
WAYS = ("fast", "one-shot", "fast-nsjail", "one-shot-nsjail")
PART = 1 if os.environ.get("EVALSI_CORPORA") == "all" else 12
Fork = Callable[[str], PythonFork]


@dataclass
class Sandbox:
    fork: PythonFork

    def python(self) -> PythonFork:
        return self.fork

    def remaining_s(self) -> float | None:
        return None


def runs(name: str) -> list[Any]:
    """Every row on the fast path, and a part of them on the other ways."""
    rows = [json.loads(line) for line in (TESTDATA / name).read_text().splitlines()]
    return [
        pytest.param(row, way, id=f"{row['id']}-{way}")
        for way in WAYS
        for row in rows
        if way == "fast" or zlib.crc32(row["id"].encode()) % PART == 0
    ]


def rollout(row: dict[str, Any]) -> dict[str, Any]:
    """The row without its labels; large data is written down as expressions."""
    kept = {key: value for key, value in row.items() if key not in LABELS}
    if isinstance(kept.get("tests"), list):
        kept["tests"] = [dict(map(_written_out, test.items())) for test in kept["tests"]]
    return kept


def _written_out(item: tuple[str, Any]) -> tuple[str, Any]:
    key, value = item
    return (key[:-5], eval(value)) if key.endswith("_expr") else item


@pytest.fixture(scope="module")
def fork() -> Iterator[Fork]:
    rungs: dict[str, NamespacedRung] = {}

    def of(way: str) -> PythonFork:
        launcher = "nsjail" if way.endswith("nsjail") else "bubblewrap"
        if launcher not in rungs:
            rungs[launcher] = _rung(launcher)
        rung = rungs[launcher]
        if way.startswith("one-shot"):
            return OneShotFork(rung)
        found = rung.ability(PythonFork)  # type: ignore[type-abstract]
        assert found is not None
        return found

    yield of
    for rung in rungs.values():
        rung.close()


def _rung(launcher: str) -> NamespacedRung:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALSI_NAMESPACED_LAUNCHER", launcher)
        rung = NamespacedRung(current_engine())
        try:
            rung.ability(PythonFork)  # type: ignore[type-abstract]
            assert rung.tool == launcher
        except SandboxUnavailable as error:
            if os.environ.get("CI") == "true" and (
                launcher == "bubblewrap" or sys.version_info >= (3, 12)
            ):
                raise
            pytest.skip(str(error))
    return rung


def score(row: dict[str, Any], fork: PythonFork) -> Score:
    waits = row["id"] in WAITS or row.get("wait", False)
    params = CodeExecTestsParams(
        timeout_s=1 if waits else row.get("timeout", 5),
        max_cases=1 if waits else None,
        float_tolerance=row.get("compare", {}).get("floatTolerance"),
        integrity="allow-weak" if row.get("integrity") == "weak" else "strict",
    )
    answer = CodeExecTests(params, Tools(sandbox=Sandbox(fork))).score(record_of(rollout(row), 1))
    assert isinstance(answer, Score)
    return answer


def capped(fork: PythonFork) -> bool:
    """Whether a jail's memory is capped as a whole."""
    with closing(fork.load(Program("print(1)"))) as loaded:
        assert loaded.case(b"", Limits()).stdout == b"1\n"
        return loaded.enforced["memory"] == "cgroup"


@pytest.mark.parametrize(("row", "way"), runs("code_honest.jsonl"))
def test_an_honest_program_gets_what_it_deserves(row: dict[str, Any], way: str, fork: Fork) -> None:
    given = score(row, fork(way))

    assert given.value == pytest.approx(row["expected_score"]), given.evidence
    assert isinstance(given.evidence, dict)
    assert given.evidence.get("integrity") == row.get("integrity")


@pytest.mark.parametrize(("row", "way"), runs("code_attacks.jsonl"))
def test_a_hostile_program_gets_no_more_than_it_deserves(
    row: dict[str, Any], way: str, fork: Fork
) -> None:
    found = fork(way)
    if row["id"] in BOMBS and not capped(found):
        pytest.skip("no control group can be made here, which would hold a bomb")
    given = score(row, found)

    assert given.value == row["expected_score"], given.evidence
    assert isinstance(given.evidence, dict)
    assert "integrity" not in given.evidence
