"""The rung `process`: what is its own, beside the promises that every rung makes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from evalsi.core.errors import SandboxUnavailable
from evalsi.core.sandbox import Command, JailSpec, Limits, Outcome, Rung
from evalsi_sandbox import lease
from evalsi_sandbox.process import ProcessRung

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="root alone has to become somebody")


def test_it_says_what_it_does_not_hold(process: ProcessRung) -> None:
    with closing(process.open(JailSpec())) as jail:
        assert jail.enforced["network"].startswith("no")
        assert jail.enforced["host files"].startswith("no")


def test_its_folder_is_home_and_working_folder(
    process: ProcessRung, run: Callable[..., Outcome]
) -> None:
    source = "import os; print(os.getcwd() == os.environ['HOME'] == os.environ['TMPDIR'])"

    assert run(process, source).stdout == b"True\n"


def test_arguments_below_box_lead_to_the_files(process: ProcessRung) -> None:
    with closing(process.open(JailSpec(files={"in/x": b"data"}))) as jail:
        outcome = jail.run(Command(("/bin/cat", "/box/in/x")), Limits())

    assert outcome.stdout == b"data"


def test_a_missing_program_is_unavailable(process: ProcessRung) -> None:
    with (
        closing(process.open(JailSpec())) as jail,
        pytest.raises(SandboxUnavailable, match="/no/such"),
    ):
        jail.run(Command(("/no/such",)), Limits())


def test_a_closed_jail_asks_for_another(process: ProcessRung) -> None:
    jail = process.open(JailSpec())
    jail.close()

    with pytest.raises(SandboxUnavailable, match="open another"):
        jail.run(Command(("/bin/true",)), Limits())


@ROOT
def test_opened_by_root_it_runs_as_nobody(
    process: ProcessRung, run: Callable[..., Outcome]
) -> None:
    said = run(process, "import os; print(os.getresuid(), os.getresgid(), os.getgroups())").stdout

    assert said == b"(65534, 65534, 65534) (65534, 65534, 65534) []\n"


@ROOT
def test_a_way_that_root_alone_may_pass_is_opened_to_what_is_needed_and_no_more(
    process: ProcessRung, run: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    private = Path(tempfile.mkdtemp())
    (private / "secret").write_text("root's")
    (private / "secret").chmod(0o644)
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    source = f"import os; open('made', 'w').close(); print(os.listdir('{private}'))"

    outcome = run(process, source)

    assert outcome.stdout.decode() == f"['evalsi-jails-{os.geteuid()}']\n", outcome.stderr
    lease.remove_tree(private)


@ROOT
def test_a_missing_program_is_unavailable_on_an_opened_way_too(
    process: ProcessRung, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = Path(tempfile.mkdtemp())
    monkeypatch.setattr(tempfile, "tempdir", str(private))

    with (
        closing(process.open(JailSpec())) as jail,
        pytest.raises(SandboxUnavailable, match=r"cannot start /no/such: .*No such file"),
    ):
        jail.run(Command(("/no/such",)), Limits())
    lease.remove_tree(private)


def test_a_command_has_no_capability_and_can_gain_none(
    process: ProcessRung, run: Callable[..., Outcome]
) -> None:
    source = "print(open('/proc/self/status').read())"

    lines = run(process, source).stdout.decode().splitlines()
    said = dict(line.split(":\t") for line in lines if ":\t" in line)

    assert int(said["CapPrm"], 16) == int(said["CapEff"], 16) == int(said["CapAmb"], 16) == 0
    assert said["NoNewPrivs"] == "1"


@ROOT
def test_where_no_way_can_be_opened_it_is_unusable_and_never_root(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    script = (
        "from evalsi.core.engine import current_engine\n"
        "from evalsi_sandbox.process import ProcessRung\n"
        "if __name__ == '__main__': print(ProcessRung(current_engine()).probe())"
    )
    path = os.pathsep.join(part for part in sys.path if part)
    environment = {**os.environ, "PYTHONPATH": path, "TMPDIR": str(private)}
    without = ["setpriv", "--bounding-set=-sys_admin", sys.executable, "-c", script]

    said = subprocess.run(without, env=environment, check=True, capture_output=True).stdout.decode()

    assert said.startswith("Unusable(reason='nobody cannot reach the program")
    assert "mend='run as an ordinary user" in said


@ROOT
def test_a_command_cannot_leave_its_cgroup(
    process: ProcessRung, run: Callable[..., Outcome]
) -> None:
    source = (
        "import glob\nleft = []\nfor procs in glob.glob('/sys/fs/cgroup/**/cgroup.procs'):\n"
        "    try: left.append(open(procs, 'w').write('0'))\n    except OSError: pass\nprint(left)"
    )

    assert run(process, source).stdout == b"[]\n"


def test_a_command_stands_back_for_its_opener(rung: Rung, run: Callable[..., Outcome]) -> None:
    said = run(rung, "import os; print(os.nice(0))").stdout

    assert int(said) == min(os.nice(0) + 5, 19)
