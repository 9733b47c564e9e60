"""The README tells the truth: its commands run here and print what it shows."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    return [body for kind, body in BLOCK.findall(README) if kind == language]


def command(start: str) -> str:
    """The one line of the README's shell blocks that begins so."""
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    [found] = [line for line in lines if line.startswith(start)]
    return found


def run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs a program of this environment in the root, with its output caught."""
    program = str(Path(sys.executable).parent / arguments[0])
    return subprocess.run(
        [program, *arguments[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


def test_the_first_command_prints_what_is_shown() -> None:
    # `uv run` chooses the environment; here it is the one that runs this test.
    done = run(shlex.split(command("uv run evalsi "))[2:])
    [stdout] = blocks("json")
    [stderr] = blocks("text")[:1]
    assert (done.returncode, done.stdout, done.stderr) == (0, stdout, stderr)


def test_the_python_prints_what_is_shown() -> None:
    [python] = blocks("python")
    done = run(["python", "-c", python])
    assert (done.stdout, done.stderr) == (blocks("text")[1], "")


@pytest.mark.parametrize("start", ["uv run evalsi ", "pip install nox && nox"])
def test_ci_runs_the_readmes_commands(start: str) -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    wanted = command(start).rpartition("&& ")[2]
    assert [line for line in script if line.removeprefix("CI=true ") == wanted]


@pytest.mark.parametrize("path", re.findall(r"\]\((?!http|#)([^)#]+)", README))
def test_a_link_leads_somewhere(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("folder", sorted(p.parent.name for p in ROOT.glob("*/pyproject.toml")))
def test_the_map_names_every_distribution(folder: str) -> None:
    assert f"`{folder}/`" in README
