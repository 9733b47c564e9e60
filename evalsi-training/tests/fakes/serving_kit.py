"""Strategies whose servers are played, and what is left of processes."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from evalsi.training import VLLM, Transformers

FAKES = Path(__file__).parent
PLAYED = FAKES / "played_server.py"

OWNER = """
import os, sys, time
sys.path.insert(0, {fakes!r})
from serving_kit import answer, played
with played({part!r}).serve({folder!r}, "run-1") as served:
    print("ready", flush=True)
    {body}
"""


def played(part, **options):
    return VLLM(command=[sys.executable, str(PLAYED), part], **options)


def warm(part="good", **options):
    return Transformers(command=[sys.executable, str(PLAYED), part], **options)


def model(place, says="yes"):
    """A model's folder for a server that is played."""
    folder = place / "checkpoint-1"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text("{}")
    (folder / "says.txt").write_text(says)
    return folder


def safetensors(path, **tensors):
    """A file of the format, from names with dtype and bytes."""
    header, begin = {"__metadata__": {"format": "pt"}}, 0
    for name, (dtype, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": [], "data_offsets": [begin, begin + len(data)]}
        begin += len(data)
    head = json.dumps(header).encode()
    body = b"".join(data for _, data in tensors.values())
    path.write_bytes(len(head).to_bytes(8, "little") + head + body)


def answer(served, question="2 + 2 ="):
    """A completion's text; raises `OSError` where there is none."""
    body = {"model": served.model, "messages": [{"role": "user", "content": question}]}
    key = f"Bearer {os.environ[served.api_key_env]}" if served.api_key_env else ""
    request = urllib.request.Request(
        f"{served.base_url}/chat/completions",
        json.dumps(body | {"max_tokens": 4}).encode(),
        {"authorization": key} if key else {},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as found:
            return json.load(found)["choices"][0]["message"]["content"]
    except urllib.error.HTTPError as error:
        error.close()
        return ""


@contextlib.contextmanager
def owner(part, folder, notes, body):
    """An owner in a process group of its own, which serves by now and does `body`."""
    temporary = notes.parent / "tmp"
    temporary.mkdir(exist_ok=True)
    script = OWNER.format(fakes=str(FAKES), part=part, folder=str(folder), body=body)
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PLAYED_NOTES": str(notes), "TMPDIR": str(temporary)},
    ) as process:
        assert process.stdout.readline() == "ready\n"
        yield process
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def descendants(of=None):
    """The processes below one, this one by default."""
    parents = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(place.parent.name)] = int(place.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found, todo = [], [of or os.getpid()]
    while todo:
        parent = todo.pop()
        below = [pid for pid, above in parents.items() if above == parent]
        found += below
        todo += below
    return found


def servers(of=None):
    """The servers that are played below a process, with their guards."""
    found = []
    for pid in descendants(of):
        with contextlib.suppress(OSError):
            if PLAYED.name.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found


def gone(processes, within_s=20.0):
    """Whether they all end in time."""
    deadline = time.monotonic() + within_s
    while any(Path(f"/proc/{pid}").exists() for pid in processes):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def marked(mark):
    """The processes that have a text in their environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark.encode() in place.read_bytes():
                found.append(int(place.parent.name))
    return found
