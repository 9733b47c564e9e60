"""An OpenAI-compatible server on loopback whose models are told which questions they know."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Quiet(ThreadingHTTPServer):
    """Says nothing of clients that were killed."""

    request_queue_size = 128  # beyond five, a client that connects waits a second and tries again

    def handle_error(self, request, client_address):
        pass


class ModelServer:
    """Answers a question with itself when its model knows it, else with `no`.

    Attributes:
        knows: by model, the questions that it answers rightly.
        down: questions that are answered by 500.
        key: what is wanted as a bearer's, if anything.
        asked: model and question of every request.
    """

    def __init__(self):
        self.knows = {}
        self.down = set()
        self.key = ""
        self.asked = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # head and body go apart: 40 ms an answer else

            def do_GET(self):
                self.answer(*self.reply({}))

            def do_POST(self):
                self.answer(
                    *self.reply(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                )

            def reply(self, body):
                told = self.headers.get("authorization", "")
                if outer.key and told != f"Bearer {outer.key}":
                    return 401, {"error": f"Unauthorized: {told.removeprefix('Bearer ')}"}
                return outer.reply(self.path, body)

            def answer(self, status, row):
                data = json.dumps(row).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def reply(self, path, body):
        return self.answer(body)

    def answer(self, body):
        question = body["messages"][-1]["content"]
        self.asked.append((body["model"], question))
        if body["model"] not in self.knows:
            return 404, {"error": {"message": f"no model {body['model']}"}}
        if question in self.down:
            return 500, {"error": {"message": "out of memory"}}
        text = question if question in self.knows[body["model"]] else "no"
        message = {"role": "assistant", "content": text}
        return 200, {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}

    def forget(self):
        """Forgets what was asked, also what a run that stopped had on its way."""
        seen = -1
        while seen < len(self.asked):
            seen = len(self.asked)
            time.sleep(0.3)
        self.asked.clear()

    @property
    def base_url(self):
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
