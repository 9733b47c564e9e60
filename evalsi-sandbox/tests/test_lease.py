"""Leases: what a living owner holds stays, what a dead one left goes, whatever is in it."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from evalsi.core.errors import SandboxUnavailable
from evalsi_sandbox import lease


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"evalsi-jails-{os.geteuid()}"


def test_a_held_folder_is_no_orphan() -> None:
    held = lease.hold()

    assert list(lease.orphans()) == []
    held.release()


def test_a_folder_whose_holder_let_go_is_an_orphan() -> None:
    held = lease.hold()
    held.note_cgroups(["/a", "/b"])
    held.leave()

    (orphan,) = lease.orphans()

    assert (orphan.path, orphan.cgroups()) == (held.path, ["/a", "/b"])
    orphan.release()


def test_release_removes_the_folder(home: Path) -> None:
    lease.hold().release()

    assert list(home.iterdir()) == []


def test_others_can_pass_through_the_home_but_not_list_it(home: Path) -> None:
    lease.hold().release()

    assert home.stat().st_mode & 0o777 == 0o711


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone can give a folder away")
def test_somebody_elses_home_is_refused(home: Path) -> None:
    home.mkdir()
    os.chown(home, 65534, 65534)

    with pytest.raises(SandboxUnavailable, match="belongs to somebody else"):
        lease.hold()


def test_a_home_of_ours_with_a_wrong_mode_is_mended(home: Path) -> None:
    home.mkdir(mode=0o700)

    lease.hold().release()

    assert home.stat().st_mode & 0o777 == 0o711


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP], ids=errno.errorcode.get)
def test_a_file_system_without_locks_is_an_outage_and_leaves_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)

    with pytest.raises(SandboxUnavailable, match="set TMPDIR"):
        lease.hold()

    assert list(home.iterdir()) == []


def test_a_temporary_folder_that_takes_no_folders_is_an_outage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/proc")

    with pytest.raises(SandboxUnavailable, match="set TMPDIR"):
        lease.hold()


SCARCE = """
import os, resource, sys
from pathlib import Path
from evalsi.core.engine import close_engine, current_engine
from evalsi.core.errors import SandboxUnavailable
from evalsi.core.sandbox import JailSpec
from evalsi_sandbox.{module} import {rung}

if __name__ == "__main__":
    rung = {rung}(current_engine())
    rung.open(JailSpec()).close()
    had, raised = len(os.listdir("/proc/self/fd")), 0
    for more in range(-3, 20):
        resource.setrlimit(resource.RLIMIT_NOFILE, (had + more, 4096))
        try:
            rung.open(JailSpec(files={{"a": b"b"}})).close()
        except SandboxUnavailable:
            raised += 1
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    assert raised
    assert len(os.listdir("/proc/self/fd")) == had
    rung.open(JailSpec()).close()  # and sweeps
    close_engine()
"""


@pytest.mark.parametrize(
    ("module", "rung"),
    [("process", "ProcessRung"), ("namespaced", "NamespacedRung")],
    ids=["process", "namespaced"],
)
def test_an_opener_without_descriptors_is_told_so_and_loses_none(
    home: Path, module: str, rung: str
) -> None:
    path = os.pathsep.join(part for part in sys.path if part)
    environment = {**os.environ, "PYTHONPATH": path, "TMPDIR": str(home.parent)}
    script = SCARCE.format(module=module, rung=rung)

    subprocess.run([sys.executable, "-c", script], env=environment, check=True, timeout=60)

    assert list(home.iterdir()) == []


def test_a_tree_deeper_than_any_path_is_removed(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    before = Path.cwd()
    try:
        os.chdir(top)
        for _ in range(3000):
            Path("down").mkdir()
            os.chdir("down")
    finally:
        os.chdir(before)

    lease.remove_tree(top)

    assert not top.exists()


def test_a_tree_without_permissions_is_removed(tmp_path: Path) -> None:
    inner = tmp_path / "top" / "shut" / "inner"
    inner.mkdir(parents=True)
    (inner / "file").write_text("x")
    inner.chmod(0)
    inner.parent.chmod(0)

    lease.remove_tree(tmp_path / "top")

    assert not (tmp_path / "top").exists()


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("x")
    (tmp_path / "top" / "link").symlink_to(tmp_path / "kept")

    lease.remove_tree(tmp_path / "top")

    assert (tmp_path / "kept" / "file").read_text() == "x"
