"""`evalsi rewards score` as people run it: processes, files, pipes, kills."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import evalsi

FAKES = str(Path(__file__).parent / "fakes")
SPEC = """\
apiVersion: evals.si/v1alpha1
kind: RewardSpec
metadata: {name: test}
spec:
  components: [%s]
  onError: %s
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def spec(components="says", on_error="raise"):
    Path("s.yaml").write_text(SPEC % (components, on_error))


def data(*outputs, name="d.jsonl"):
    lines = [json.dumps({"id": f"r{n}", "completion": out}) for n, out in enumerate(outputs, 1)]
    Path(name).write_text("".join(f"{line}\n" for line in lines))


def command(*args):
    return [sys.executable, "-m", "evalsi.core.cli", "rewards", "score", *args]


def environment(**more):
    return {**os.environ, "PYTHONPATH": FAKES, "EVALSI_PLUGINS": "fakes", **more}


def score(*args, **more):
    given = args if "--data" in args else (*args, "--data", "d.jsonl")
    return evalsi("rewards", "score", "--spec", "s.yaml", *given, **more)


def ran(full, env, stdin=""):
    return subprocess.run(
        full, input=stdin, capture_output=True, text=True, env=env, timeout=60, check=False
    )


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_one_line_a_rollout_on_stdout_and_the_summary_on_stderr(folder):
    spec()
    data("1", "0.5")
    done = score()
    assert done.returncode == 0
    assert [(row["id"], row["total"], row["gated"]) for row in lines(done.stdout)] == [
        ("r1", 1.0, False),
        ("r2", 0.5, False),
    ]
    assert done.stderr.splitlines()[-1] == "2 rollouts, mean reward 0.7500, 0 gated"


def test_who_computed_it_is_said_once(folder):
    spec()
    data("1", "0.5")
    (by,) = [line for line in score().stderr.splitlines() if line.startswith("by ")]
    found = json.loads(by[3:])["says"]
    assert (found["evaluator"], found["distribution"]) == ("fakes:says", "engine-fakes")


def test_a_component_carries_metrics_and_cached_only_where_there_are_some(folder):
    spec("says, length")
    data("1", "1")
    first, second = lines(score().stdout)
    assert first["components"]["length"] == {"status": "scored", "value": 1.0}
    assert second["components"]["length"] == {"status": "scored", "value": 1.0, "cached": True}
    assert first["components"]["says"]["metrics"] == {"half": 0.5, "rare": 7.0}


def test_no_rollouts_are_no_lines(folder):
    spec()
    data()
    done = score()
    assert (done.returncode, done.stdout) == (0, "")
    assert "0 rollouts, mean reward none, 0 gated" in done.stderr


def test_gzip_is_read(folder):
    spec()
    data("1")
    Path("d.jsonl.gz").write_bytes(gzip.compress(Path("d.jsonl").read_bytes()))
    assert lines(score("--data", "d.jsonl.gz").stdout)[0]["total"] == 1.0


def test_stdin_is_read(folder):
    spec()
    done = ran(command("--spec", "s.yaml", "--data", "-"), environment(), '{"completion": "1"}\n')
    assert lines(done.stdout)[0]["id"] == "1"


def test_limit_scores_the_first_ones(folder):
    spec()
    data("1", "0", "1")
    assert len(lines(score("--limit", "2").stdout)) == 2


def test_a_table_is_for_people(folder):
    spec("says, length")
    data("1", "skip")
    heading, first, second = score("--format", "table").stdout.splitlines()
    assert heading.split() == ["id", "total", "gated", "says", "length"]
    assert first.split() == ["r1", "2.0000", "no", "1.0000", "1.0000"]
    assert second.split() == ["r2", "4.0000", "no", "skipped", "4.0000"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{oops", ["d.jsonl:2:2", "every line is one JSON object"]),
        ("[1]", ["d.jsonl:2", "is list"]),
        ('{"completion":', ["d.jsonl:2:15"]),
        ('{"prompt": "x"}', ["d.jsonl:2", "no completion"]),
        ('{"id": "z", "prompt": "x"}', ["d.jsonl:2 (id z)", "no completion"]),
        ('{"completion": 7}', ["d.jsonl:2", "`completion` is int"]),
        ('{"completion": "x", "completion_tokens": -1}', ["d.jsonl:2", "cannot be negative"]),
    ],
    ids=["malformed", "no object", "cut", "no completion", "with an id", "a number", "negative"],
)
def test_a_bad_row_is_one_clear_sentence_behind_the_rows_before_it(folder, line, words):
    spec()
    data("1")
    with Path("d.jsonl").open("a") as file:
        file.write(line + "\n" + '{"completion": "1"}\n')
    done = score()
    assert done.returncode == 2
    assert [row["id"] for row in lines(done.stdout)] == ["r1"]
    assert all(word in done.stderr for word in words)
    assert "Traceback" not in done.stderr


def test_a_line_that_is_not_utf_8_is_named(folder):
    spec()
    Path("d.jsonl").write_bytes(b'{"completion": "\xff"}\n')
    done = score()
    assert (done.returncode, "d.jsonl:1 is not UTF-8" in done.stderr) == (2, True)


def test_a_missing_file_is_named(folder):
    spec()
    done = score("--data", "no.jsonl")
    assert (done.returncode, "no.jsonl cannot be read" in done.stderr) == (2, True)


def test_a_cut_gzip_file_keeps_the_rows_before_the_cut(folder):
    spec()
    data(*["1"] * 2000)
    whole = gzip.compress(Path("d.jsonl").read_bytes())
    Path("d.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    done = score("--data", "d.jsonl.gz")
    assert done.returncode == 2
    assert len(lines(done.stdout)) > 0
    assert "cannot be read" in done.stderr


def test_a_spec_is_refused_before_anything_is_scored(folder):
    Path("s.yaml").write_text(SPEC % ("{ref: says, wieght: 1}, {ref: nothing}", "raise"))
    data("1")
    done = score()
    assert (done.returncode, done.stdout) == (2, "")
    assert "s.yaml:5:28" in done.stderr
    assert "weight" in done.stderr
    assert "nothing" in done.stderr


@pytest.mark.parametrize(
    ("output", "component", "code"),
    [("raise", "says", 1), ("data", "says", 2), ("away", "outage", 4)],
    ids=["the work failed", "data", "infrastructure"],
)
def test_under_raise_the_kind_of_the_failure_is_the_exit_code(folder, output, component, code):
    spec(component)
    data("1", output, "1")
    done = score()
    assert done.returncode == code
    assert [row["id"] for row in lines(done.stdout)] == ["r1"]
    assert f"rollout r2, component {component}" in done.stderr


def test_an_errored_component_says_why(folder):
    spec("outage", "none")
    data("1", "away")
    done = score()
    row = lines(done.stdout)[1]
    assert (done.returncode, row["total"]) == (0, None)
    assert row["components"]["outage"]["status"] == "error"
    assert row["components"]["outage"]["kind"] == "sandbox"
    assert done.stderr.splitlines()[-1].endswith("1 without a total")


def test_an_outage_of_every_rollout_is_exit_4_under_every_policy(folder):
    spec("outage", "none")
    data("away", "away")
    assert score().returncode == 4


def test_out_takes_the_rows_and_stdout_stays_empty(folder):
    spec()
    data("1", "0")
    done = score("--out", "o.jsonl")
    assert (done.returncode, done.stdout) == (0, "")
    assert len(lines(Path("o.jsonl").read_text())) == 2
    assert json.loads(Path("o.jsonl.by.json").read_text())["by"]["says"]["version"] == "1.0"


def test_an_existing_out_is_not_overwritten(folder):
    spec()
    data("1")
    score("--out", "o.jsonl")
    done = score("--out", "o.jsonl")
    assert (done.returncode, "--resume" in done.stderr) == (2, True)


def test_resume_after_kill_9_scores_no_row_twice(folder):
    spec("slow")
    data(*[f"row-{n}" for n in range(160)])
    undisturbed = score("--out", "all.jsonl")
    assert undisturbed.returncode == 0
    log = folder / "log"
    with subprocess.Popen(
        command("--spec", "s.yaml", "--data", "d.jsonl", "--out", "o.jsonl"),
        env=environment(EVALSI_TEST_LOG=str(log)),
        stderr=subprocess.DEVNULL,
    ) as run:
        wait_for_lines(folder / "o.jsonl", 1)
        run.kill()
    written = Path("o.jsonl").read_bytes()
    kept = written.count(b"\n")
    assert 0 < kept < 160
    log.write_text("")
    done = score("--out", "o.jsonl", "--resume", EVALSI_TEST_LOG=str(log))
    assert done.returncode == 0
    assert Path("o.jsonl").read_bytes() == Path("all.jsonl").read_bytes()
    assert len(log.read_text().splitlines()) == 160 - kept
    assert "160 rollouts, mean reward 1.0000" in done.stderr


def wait_for_lines(path, count):
    end = time.monotonic() + 30
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.parametrize(
    ("components", "rows", "words"),
    [("length", ("1", "1"), "another spec"), ("says", ("0", "1"), "")],
    ids=["another spec", "the same spec"],
)
def test_resume_does_not_mix_specs(folder, components, rows, words):
    spec()
    data("1", "1")
    score("--out", "o.jsonl", "--limit", "1")
    spec(components)
    done = score("--out", "o.jsonl", "--resume")
    assert (done.returncode, words in done.stderr) == (2 if words else 0, True)


def test_resume_with_other_data_is_refused(folder):
    spec()
    data("1", "1")
    score("--out", "o.jsonl", "--limit", "1")
    Path("d.jsonl").write_text('{"id": "other", "completion": "1"}\n')
    done = score("--out", "o.jsonl", "--resume")
    assert (done.returncode, "o.jsonl:1 is rollout r1" in done.stderr) == (2, True)


def test_resume_without_out_is_a_usage_error(folder):
    spec()
    data("1")
    assert score("--resume").returncode == 2


# A shell starts its background jobs with SIGINT ignored; on a terminal it is not.
AT_A_TERMINAL = ["env", "--default-signal=INT"]


def test_ctrl_c_keeps_what_out_has(folder):
    spec("slow")
    data(*[f"row-{n}" for n in range(3000)])
    with subprocess.Popen(
        [*AT_A_TERMINAL, *command("--spec", "s.yaml", "--data", "d.jsonl", "--out", "o.jsonl")],
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        wait_for_lines(folder / "o.jsonl", 5)
        run.send_signal(signal.SIGINT)
        _, stderr = run.communicate(timeout=30)
    assert run.returncode == 130
    assert "Traceback" not in stderr
    kept = Path("o.jsonl").read_bytes()
    assert kept.endswith(b"\n")
    assert len(lines(kept.decode())) >= 5


def test_a_closed_pipe_is_quiet(folder):
    spec()
    data(*["1"] * 20_000)
    full = " ".join(command("--spec", "s.yaml", "--data", "d.jsonl"))
    done = ran(["bash", "-c", f"{full} | head -1"], environment())
    assert len(done.stdout.splitlines()) == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "text",
    ["\0", "\ud800", "\u202e", "x" * 10_000_000],
    ids=["nul", "lone surrogate", "right-to-left", "10 MB"],
)
def test_a_hostile_completion_is_scored(folder, text):
    spec("length, slow")
    data(text)
    done = score()
    assert (done.returncode, lines(done.stdout)[0]["total"]) == (0, len(text) + 1.0)


def test_a_width_of_none_is_a_usage_error(folder):
    spec()
    data("1")
    assert score("--concurrency", "0").returncode == 2


def test_parquet_without_its_library_says_what_to_install(folder):
    spec()
    Path("d.parquet").write_bytes(b"PAR1")
    code = "import sys; sys.modules['pyarrow'] = None; from evalsi.core.cli import main; main()"
    args = ["rewards", "score", "--spec", "s.yaml", "--data", "d.parquet"]
    done = ran([sys.executable, "-c", code, *args], environment())
    assert done.returncode == 2
    assert "pip install 'evalsi-core[parquet]'" in done.stderr


def test_parquet_is_read_with_its_extra(folder):
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.Table.from_pylist([{"id": "r1", "completion": "1"}])
    parquet.write_table(table, "d.parquet")
    spec()
    assert lines(score("--data", "d.parquet").stdout)[0]["total"] == 1.0


def test_a_broken_parquet_file_is_named(folder):
    spec()
    Path("d.parquet").write_bytes(b"PAR1 and nothing more")
    done = score("--data", "d.parquet")
    assert (done.returncode, "d.parquet cannot be read as Parquet" in done.stderr) == (2, True)


def test_resume_numbers_rollouts_without_an_id_on(folder):
    spec()
    Path("d.jsonl").write_text('{"completion": "1"}\n{"id": null, "completion": "0"}\n' * 2)
    for limit in ("1", "2", "4"):
        assert score("--out", "o.jsonl", "--resume", "--limit", limit).returncode == 0
    assert [row["id"] for row in lines(Path("o.jsonl").read_text())] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("text", ["", "[]", "{}"])
def test_a_damaged_provenance_is_not_resumed(folder, text):
    spec()
    data("1", "1")
    score("--out", "o.jsonl", "--limit", "1")
    Path("o.jsonl.by.json").write_text(text)
    done = score("--out", "o.jsonl", "--resume")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


def test_a_damaged_row_is_named_on_resume(folder):
    spec()
    data("1", "1")
    score("--out", "o.jsonl", "--limit", "1")
    Path("o.jsonl").write_text('{"id": "r1", "total": "x", "gated": "no"}\n')
    done = score("--out", "o.jsonl", "--resume")
    assert (done.returncode, "o.jsonl:1 is no reward" in done.stderr) == (2, True)


def on_a_terminal(line):
    return ran(["script", "-qec", line, "/dev/null"], environment())


def test_a_terminal_shows_a_bar_on_stderr_while_rows_go_to_a_file(folder):
    spec()
    data(*["1"] * 50)
    line = " ".join(command("--spec", "s.yaml", "--data", "d.jsonl"))
    shown = on_a_terminal(f"{line} > rows").stdout
    assert "rollouts" in shown
    assert "100%" in shown
    assert len(lines(Path("rows").read_text())) == 50


def test_rows_on_a_terminal_are_not_mixed_with_a_bar(folder):
    spec()
    data("1")
    shown = on_a_terminal(" ".join(command("--spec", "s.yaml", "--data", "d.jsonl"))).stdout
    assert shown.startswith('{"id": "r1"')


def test_a_pipe_is_read_once_though_a_bar_would_count_it(folder):
    spec()
    data("1", "1")
    line = " ".join(command("--spec", "s.yaml", "--data", "/dev/fd/9"))
    shown = on_a_terminal(f"bash -c '{line} 9< <(cat d.jsonl) > rows'").stdout
    assert "2 rollouts" in shown


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_are_no_crash(folder, closed):
    spec()
    data("1")
    line = " ".join(command("--spec", "s.yaml", "--data", "d.jsonl", "--out", "o.jsonl"))
    done = ran(["bash", "-c", f"{line} {closed}"], environment())
    assert done.returncode == 0
    assert len(lines(Path("o.jsonl").read_text())) == 1


def test_ctrl_c_ends_what_runs_now(folder):
    spec("sleeps")
    data(*["30"] * 8)
    with subprocess.Popen(
        [*AT_A_TERMINAL, *command("--spec", "s.yaml", "--data", "d.jsonl")],
        env=environment(),
        stderr=subprocess.PIPE,
    ) as run:
        time.sleep(2.0)
        begun = time.monotonic()
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=20)
    assert run.returncode == 130
    assert time.monotonic() - begun < 10


def test_a_width_that_was_chosen_is_had(folder):
    spec("sleeps")
    data(*["1.0"] * 6)
    begun = time.monotonic()
    assert score("--concurrency", "6").returncode == 0
    assert time.monotonic() - begun < 5.0


def test_a_resumed_file_ends_as_an_undisturbed_one(folder):
    spec("outage", "none")
    data("away", "away")
    assert score("--out", "o.jsonl", "--limit", "1").returncode == 4
    assert score("--out", "o.jsonl", "--resume").returncode == 4
