"""Where a container's filter refuses namespaces: `confined` works, `namespaced` says what mends it.

The filter is Docker's default one in this respect: no new namespace by clone or unshare, no clone3,
no mount, and no CAP_SYS_ADMIN.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from evalsi.core.errors import SandboxUnavailable
from evalsi_sandbox.confined import landlock

if TYPE_CHECKING:
    from conftest import Pen

CONTAINED = """
import ctypes, errno, json
from contextlib import closing
from evalsi_sandbox import bpf
from evalsi_sandbox.namespaced import seccomp

def contain(landlock_refused):
    on = seccomp.machine()
    eperm = bpf.refuse(errno.EPERM)
    lines = [bpf.line(bpf.LOAD, bpf.NUMBER)]
    lines += bpf.when(bpf.EQUAL, on.clone3, bpf.refuse(errno.ENOSYS))
    lines += bpf.when(bpf.EQUAL, on.refused["mount"], eperm)
    if landlock_refused:
        lines += bpf.when(bpf.EQUAL, 444, eperm)
    for number in (on.clone, on.refused["unshare"]):
        lines += bpf.section(number, bpf.when(bpf.ANY_BIT, 0x7E02_0080, eperm))
    program = b"".join([*lines, bpf.line(bpf.RETURN, bpf.ALLOW)])
    held = ctypes.create_string_buffer(program)
    class Filter(ctypes.Structure):
        _fields_ = [("lines", ctypes.c_ushort), ("where", ctypes.c_void_p)]
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(24, 21, 0, 0, 0)  # CAP_SYS_ADMIN leaves the bounding set
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    filter_ = Filter(len(program) // 8, ctypes.addressof(held))
    assert libc.prctl(22, 2, ctypes.byref(filter_), 0, 0) == 0

def tell():
    from evalsi.core.engine import current_engine
    from evalsi.core.sandbox import Command, JailSpec, Limits
    ladder = current_engine().ladder
    told = {}
    for name in ("process", "confined", "namespaced", "gvisor"):
        rung, verdict = ladder.probe(name)
        told[name] = {
            field: getattr(verdict, field, None) for field in ("detail", "reason", "mend")
        }
    try:
        told["fork"] = ladder.fork("confined").rung
    except Exception as error:
        told["fork"] = str(error)
    print(json.dumps(told))

if __name__ == "__main__":
    contain({refused})
    tell()
"""


def told(pen: Pen, *, landlock_refused: bool = False) -> Any:
    return json.loads(pen.run(CONTAINED.replace("{refused}", str(landlock_refused))))


@pytest.fixture(scope="module", autouse=True)
def _landlock() -> None:
    try:
        landlock.abi()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    if os.geteuid() != 0:
        pytest.skip("the group of the test needs root")


def test_confined_works_where_namespaces_are_refused(pen: Pen) -> None:
    said = told(pen)

    assert said["confined"]["detail"], said
    assert said["fork"] == "confined"


def test_namespaced_says_what_mends_the_container(pen: Pen) -> None:
    said = told(pen)["namespaced"]

    assert "Operation not permitted" in said["reason"]
    assert "seccomp=unconfined" in said["mend"]
    assert "minIsolation be confined" in said["mend"]


def test_a_container_without_landlock_says_what_mends_it(pen: Pen) -> None:
    said = told(pen, landlock_refused=True)["confined"]

    assert said["reason"] == "the kernel does not offer Landlock here (EPERM)"
    assert "Docker 23" in said["mend"]
