"""As much of vLLM's server as AsyncGRPO's rollout worker asks: tokens for a prompt of tokens."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["CompletionServer"]


class CompletionServer:
    """Answers every request with the next of some token lists, on loopback."""

    def __init__(self, answers: list[list[int]]) -> None:
        self._answers = answers
        self._lock = threading.Lock()
        self._asked = 0
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # head and body go apart: 40 ms an answer else

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                tokens = stub._next()
                choice = {"token_ids": tokens, "logprobs": {"token_logprobs": [-1.0] * len(tokens)}}
                self._send({"choices": [choice]})

            def do_GET(self) -> None:
                self._send({"status": "ok"})

            def _send(self, body: dict[str, Any]) -> None:
                data = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)

    def _next(self) -> list[int]:
        with self._lock:
            self._asked += 1
            return self._answers[(self._asked - 1) % len(self._answers)]

    def __enter__(self) -> CompletionServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
