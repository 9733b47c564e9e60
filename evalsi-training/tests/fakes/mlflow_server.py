"""A real MLflow server on loopback, which can be stopped and started anew on the same store."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from evalsi.training.serving.ports import leased_port


class MlflowServer:
    """`mlflow server` with SQLite and proxied artifacts, in a folder.

    Attributes:
        url: of its API; the same after a new start.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port, self._lease = leased_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process = None

    def start(self):
        command = [
            *(sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1"),
            *("--port", str(self.port), "--workers", "1", "--serve-artifacts"),
            *("--backend-store-uri", f"sqlite:///{self.folder}/store.db"),
            *("--artifacts-destination", str(self.folder / "artifacts")),
        ]
        environment = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        self._wait()

    def _wait(self):
        end = time.monotonic() + 180
        while time.monotonic() < end:
            if self._process.poll() is not None:
                break
            try:
                urllib.request.urlopen(f"{self.url}/health", timeout=2).close()
            except OSError:
                time.sleep(0.3)
            else:
                return
        said = (self.folder / "log").read_text(errors="replace")[-3000:]
        self.stop()
        raise AssertionError(f"mlflow server did not start:\n{said}")

    def stop(self):
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        self._lease.close()
