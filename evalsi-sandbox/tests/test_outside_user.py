"""Opened by root, a jail is nobody outside: caps on processes hold, and root's files are shut."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evalsi.core.sandbox import Command, JailSpec, Limits, Outcome
from evalsi_sandbox import lease
from evalsi_sandbox.namespaced import NamespacedRung

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="root alone has to become somebody")
MARK = "evalsi-mark-of-a-test"


def users_of(mark: str) -> set[str]:
    """The real and effective users, outside, of processes with a mark in their arguments."""
    found = set()
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and mark in (process / "cmdline").read_text():
                lines = (process / "status").read_text().splitlines()
                found |= {line for line in lines if line.startswith(("Uid:", "Gid:"))}
        except OSError:
            continue
    return found


def test_every_process_inside_is_nobody_outside(namespaced: NamespacedRung) -> None:
    source = (
        f"import sys; print('{MARK}', flush=True); sys.stdin.read(); import time; time.sleep(2)"
    )
    with closing(namespaced.open(JailSpec())) as jail:
        command = Command(("{python}", "-c", source, f"{MARK}-inside"))
        thread = threading.Thread(target=jail.run, args=(command, Limits()))
        thread.start()
        while not (users := users_of(MARK)):
            pass
        thread.join()

    nobody = "\t".join(["65534"] * 4)  # real, effective, saved, file system
    assert users == {f"Uid:\t{nobody}", f"Gid:\t{nobody}"}


def test_roots_private_file_cannot_be_read_though_it_is_bound(
    namespaced: NamespacedRung,
) -> None:
    with closing(namespaced.open(JailSpec(files={"secret": b"root's"}))) as jail:
        (found,) = [path for path in lease_boxes() if (path / "secret").exists()]
        (found / "secret").chmod(0o600)
        outcome = jail.run(Command(("{python}", "-c", "open('/box/secret')")), Limits())

    assert b"PermissionError" in outcome.stderr


def lease_boxes() -> Iterator[Path]:
    home = Path(tempfile.gettempdir()) / f"evalsi-jails-{os.geteuid()}"
    return home.glob("*/box")


def test_a_jails_process_cap_is_not_shared_with_other_jails(
    namespaced: NamespacedRung, run: Callable[..., Outcome]
) -> None:
    forks = (
        "import os, signal\nmade = 0\ntry:\n    while made < 10:\n"
        "        if os.fork() == 0: signal.pause()\n        made += 1\n"
        "except OSError: pass\nprint(made, flush=True)\nimport time; time.sleep(1)"
    )
    said: list[bytes] = []

    def one() -> None:
        said.append(run(namespaced, forks, limits=Limits(processes=12)).stdout)

    threads = [threading.Thread(target=one) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert said == [b"10\n"] * 3


def test_an_interpreter_that_only_root_can_reach_works(
    namespaced: NamespacedRung, run: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    """TMPDIR below a private folder: the jail's own files are then as hidden as `/root`."""
    private = Path(tempfile.mkdtemp())
    monkeypatch.setenv("TMPDIR", str(private))
    monkeypatch.setattr(tempfile, "tempdir", None)

    outcome = run(namespaced, "print(open('/box/x').read())", jail=JailSpec(files={"x": b"y"}))

    assert outcome.stdout == b"y\n"
    lease.remove_tree(private)


def test_a_strict_umask_of_the_opener_shuts_nobody_out(
    namespaced: NamespacedRung, run: Callable[..., Outcome]
) -> None:
    before = os.umask(0o077)
    try:
        outcome = run(namespaced, "print(open('/box/a/b').read())", jail=JailSpec({"a/b": b"c"}))
    finally:
        os.umask(before)

    assert outcome.stdout == b"c\n"


def test_the_openers_temporary_folder_may_be_outside_tmp(
    namespaced: NamespacedRung, run: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    """TMPDIR on a scratch disk, as batch systems set it: bubblewrap itself still needs `/tmp`."""
    scratch = Path(tempfile.mkdtemp(dir="/var/tmp"))
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr(tempfile, "tempdir", None)

    outcome = run(namespaced, "print(open('/box/x').read())", jail=JailSpec(files={"x": b"y"}))

    assert outcome.stdout == b"y\n"
    lease.remove_tree(scratch)
