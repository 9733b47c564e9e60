"""`evalsi` in processes of their own that need not import it: forked from one that has.

Streams, folder, environment, signals and exit code are a process's own, and it ends as any does. It
takes a fifth of a second instead of one; what is about the start runs `python -m evalsi.core.cli`.
"""

import atexit
import contextlib
import functools
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

_HERE = Path(__file__)


def evalsi(*words, **environment):
    """The command in this folder, ended; with `returncode`, `stdout` and `stderr`."""
    running = Running(*words, **environment)
    running.wait()
    return running


class Running:
    """A command that runs.

    Attributes:
        pid: its number, and that of its session and group.
        returncode: as `subprocess.Popen` has it.
        stdout: all that it said there, once it has ended.
        stderr: the same.
    """

    def __init__(self, *words, **environment):
        env = {**os.environ, "PYTHONPATH": str(_HERE.parent), "EVALSI_PLUGINS": "fakes"}
        asked = {"words": list(map(str, words)), "cwd": str(Path.cwd()), "env": env | environment}
        self._streams = [tempfile.TemporaryFile("w+") for _ in range(2)]  # noqa: SIM115 - `_said` closes
        self._told, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            fds = [one.fileno() for one in (*self._streams, theirs)]
            socket.send_fds(_parent(), [json.dumps(asked).encode()], fds)
        self.pid, self.returncode = int(self._told.recv(32)), None

    def poll(self):
        """Its exit code, None while it runs."""
        if self.returncode is None and select.select([self._told], [], [], 0)[0]:
            self.returncode = int(self._told.recv(32))
            self.stdout, self.stderr = map(_said, self._streams)
            self._told.close()
        return self.returncode

    def wait(self, seconds=120.0):
        """Its exit code; a command that takes longer is killed."""
        if self.returncode is None and not select.select([self._told], [], [], seconds)[0]:
            self.kill()
            raise TimeoutError(f"it ran for more than {seconds:g} s: {self.stderr}")
        return self.poll()

    def kill(self):
        """Kills its group; returns when it has ended."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        return self.wait()


def _said(stream):
    with stream:
        stream.seek(0)
        return stream.read()


@functools.cache
def _parent():
    """The socket to the process that all are forked from, which ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        command = [sys.executable, str(_HERE), str(theirs.fileno())]
        alone = {"stdin": subprocess.DEVNULL, "start_new_session": True}
        process = subprocess.Popen(command, pass_fds=[theirs.fileno()], **alone)
    atexit.register(lambda: (ours.close(), process.wait()))
    return ours


def _born(control):
    """Forks for everything that is asked for; returns in each that is born, with its words."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        asked, fds, *_ = socket.recv_fds(control, 1 << 20, 3)
        if not asked:
            sys.exit()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            child = os.fork()
            if child == 0:
                return _become(json.loads(asked), *fds)
            os.write(fds[2], b"%d" % child)
            os.write(fds[2], b"%d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            os._exit(0)
        for fd in fds:
            os.close(fd)


def _become(asked, stdout, stderr, told):
    os.setsid()
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    return asked["words"]


def _import_all():
    import evalsi.core

    for found in pkgutil.walk_packages(evalsi.core.__path__, "evalsi.core."):
        if not found.name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # what an extra brings
                importlib.import_module(found.name)


if __name__ == "__main__":
    from evalsi.core.cli import main

    _import_all()
    sys.argv[1:] = _born(socket.socket(fileno=int(sys.argv[1])))
    main()
