"""Plays a server of models as a process: `python played_server.py PART [MODEL] --port N …`.

It answers like vLLM and `transformers serve` do, as recorded from them, with the parts below.
A model's words are the contents of `says.txt` in its folder, else the model's name.
"""

import json
import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

OUT_OF_MEMORY = """\
(EngineCore pid=9) ERROR 11-30 [core.py:936] EngineCore failed to start.
(EngineCore pid=9) ERROR 11-30 [core.py:936] ValueError: Free memory on device (1.2/79 GiB) is less
(EngineCore pid=9) Traceback (most recent call last):
(APIServer pid=7)     raise RuntimeError("Engine core initialization failed. See root cause above.")
(APIServer pid=7) RuntimeError: Engine core initialization failed. See root cause above.
"""
PORT_IN_USE = "OSError: [Errno 98] Address already in use"


def word_after(flag, default=None):
    return sys.argv[sys.argv.index(flag) + 1] if flag in sys.argv else default


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body go apart: 40 ms an answer else
    asked = 0

    def do_GET(self):
        self.answer(200, {"status": "ok"})  # whatever the state of it

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        key = os.environ.get("VLLM_API_KEY")
        if key and self.headers.get("authorization") != f"Bearer {key}":
            self.answer(401, {"error": "Unauthorized"})
            return
        if self.path == "/reset":  # lets go of every model that is loaded
            self.answer(404 if PART == "old" else 200, {})
            return
        Handler.asked += 1
        PARTS.get(PART, completes)(self, body)

    def complete(self, text):
        message = {"role": "assistant", "content": text}
        self.answer(200, {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})

    def answer(self, status, row):
        data = json.dumps(row).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def completes(handler, body):
    says = Path(FOLDER or body["model"]) / "says.txt"
    handler.complete(says.read_text() if says.exists() else body["model"])


def dies(last_words, asked):
    def part(handler, body):
        if Handler.asked >= asked:
            print(last_words, flush=True)
            os._exit(1)
        completes(handler, body)

    return part


def half_dead(handler, body):
    """The API lives on behind its engine, as vLLM's does."""
    if Handler.asked > 5:
        print("vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue")
        handler.answer(500, {"error": {"message": "EngineCore encountered an issue."}})
        return
    completes(handler, body)


def loads(handler, body):
    if Handler.asked < 3:
        handler.answer(503, {"error": {"message": "Loading model"}})
        return
    completes(handler, body)


def echoes(handler, body):
    handler.complete(f"<user>{body['messages'][-1]['content']}<assistant>")


def never_answers(handler, body):
    time.sleep(3600)


def refuses_b(handler, body):
    name = Path(body["model"]).parent.name
    print(f"ValueError: of {name}", flush=True)
    if name == "b":
        handler.answer(500, {"detail": "Internal Server Error"})
    else:
        completes(handler, body)


def says_its_key(handler, body):
    print(f"ValueError: {os.environ['VLLM_API_KEY']} is no key", flush=True)
    handler.answer(500, {"error": "of its own"})


PARTS = {
    "says-its-key": says_its_key,
    "refuses-b": refuses_b,
    "dies-on-its-first-request": dies(
        "Unsupported CPU attention configuration: RuntimeError: head_dim=16", 1
    ),
    "dies-later": dies("torch.OutOfMemoryError: CUDA out of memory.", 6),
    "half-dead": half_dead,
    "loads": loads,
    "echoes": echoes,
    "hangs-in-its-first-request": never_answers,
    "refuses": lambda handler, body: handler.answer(500, {"detail": "Unrecognized model in /x"}),
    "no-choice": lambda handler, body: handler.answer(200, {"choices": []}),
}


def start():
    if PART == "out-of-memory":
        sys.exit(OUT_OF_MEMORY)
    if PART == "port-in-use":
        sys.exit(PORT_IN_USE)
    if PART == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if PART == "hangs":
        print("INFO Loading weights", flush=True)
        time.sleep(3600)
    if PART == "ignores-sigterm":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if PART == "leaves-grandchildren":
        orphan = "import subprocess; subprocess.Popen(['sleep', '3600'], start_new_session=True)"
        subprocess.run([sys.executable, "-c", orphan], check=True, start_new_session=True)
    if notes := os.environ.get("PLAYED_NOTES"):
        with Path(notes).open("a") as file:
            print(os.getpid(), word_after("--port"), file=file)


if __name__ == "__main__":
    PART = sys.argv[1]
    NAME = word_after("--served-model-name")
    FOLDER = sys.argv[2] if NAME else None
    start()
    ThreadingHTTPServer.daemon_threads = True
    ThreadingHTTPServer.request_queue_size = 128  # who connects beyond five waits a second
    ThreadingHTTPServer((word_after("--host"), int(word_after("--port"))), Handler).serve_forever()
