"""What a jail hides and refuses: promises from `namespaced` up."""

from __future__ import annotations

import contextlib
import socket
import tempfile
from pathlib import Path
from typing import Final

from evalsi.core.sandbox import JailSpec, Rung
from evalsi.core.testing.rung_trial import Trials, answer, require, run, told

__all__ = ["WALLS"]

WALLS: Final = Trials(level=2)


@WALLS.add("host-network-refused")
def _network(rung: Rung) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        source = (
            f"import socket\ntry: socket.create_connection(('127.0.0.1', {port}), 2)\n"
            "except OSError: print('refused')"
        )
        require(answer(rung, source) == "refused", "A jail must not reach the host's loopback.")


@WALLS.add("system-read-only")
def _read_only(rung: Rung) -> None:
    source = (
        "made = []\nfor folder in ('/', '/usr', '/etc', '/dev', '/box'):\n"
        "    try: open(folder + '/new', 'w'); made.append(folder)\n"
        "    except OSError: pass\nprint(made)"
    )
    found = answer(rung, source)
    require(found == "[]", f"Nothing but /tmp and /dev/shm may be written, but {found} were.")


@WALLS.add("tmp-size-limit")
def _tmp_size(rung: Rung) -> None:
    source = (
        "import os\ntry:\n    for n in range(64):\n"
        "        with open(f'f{n}', 'wb') as file: file.write(b'x' * (1 << 20))\n"
        "    print('fits')\nexcept OSError: print('full')"
    )
    outcome = run(rung, source, jail=JailSpec(tmp_mb=8))
    require(outcome.stdout == b"full\n", f"The size of /tmp must hold, but {told(outcome)}.")


@WALLS.add("host-files-hidden")
def _host_files(rung: Rung) -> None:
    with contextlib.ExitStack() as closing:
        secrets = ["/etc/shadow"]
        for folder in {tempfile.gettempdir(), str(Path.home()), str(Path.cwd())}:
            with contextlib.suppress(OSError):
                secret = closing.enter_context(tempfile.NamedTemporaryFile(dir=folder))
                secrets.append(secret.name)
        seen = answer(
            rung, f"import os; print([path for path in {secrets!r} if os.path.exists(path)])"
        )
    require(seen == "[]", f"A jail must not see the host's files, but it sees {seen}.")


@WALLS.add("host-processes-hidden")
def _host_processes(rung: Rung) -> None:
    source = "import os; print(sum(name.isdigit() for name in os.listdir('/proc')))"
    found = int(answer(rung, source))
    require(found <= 3, f"A jail must see its own processes alone, but it saw {found}.")


@WALLS.add("no-new-namespaces")
def _no_namespaces(rung: Rung) -> None:
    source = (
        "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"
        "print(c.unshare(0x10000000), c.mount(b'x', b'/tmp', b'tmpfs', 0, None))"
    )
    found = answer(rung, source)
    require(found == "-1 -1", "A jail must not make namespaces or mounts, but it can.")


@WALLS.add("no-privileges")
def _no_privileges(rung: Rung) -> None:
    status = answer(rung, "print(open('/proc/self/status').read())")
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    require(
        int(fields["CapEff"], 16) == int(fields["CapBnd"], 16) == 0,
        f"A jail must hold no capability, but CapEff is {fields['CapEff']}.",
    )
    require(fields["NoNewPrivs"] == "1", "no_new_privs must be set in a jail.")
    require(fields["Seccomp"] == "2", "A system call filter must be on in a jail.")
