"""Plays the Hugging Face hub, as far as its client asks to list and download models."""

import hashlib
import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

_API = re.compile(
    r"/api/models/(?P<repo>[^/]+/[^/]+)(?:/(?P<what>refs|tree|revision|paths-info))?(?P<rest>/.*)?"
)
_FILE = re.compile(r"/(?P<repo>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.*)")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body go apart: 40 ms an answer else

    def do_GET(self):
        self.server.reply(self, None)

    def do_HEAD(self):
        self.server.reply(self, None)

    def do_POST(self):
        self.server.reply(self, self.rfile.read(int(self.headers["content-length"])))

    def send(self, status, data, **headers):
        self.send_response(status)
        for name, value in {"content-length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *_):
        pass


class PlayedHub(ThreadingHTTPServer):
    """Repositories by name, branches by name, files by path.

    Attributes:
        repos: `{"owner/name": {"main": {"config.json": b"{}"}}}`.
        tags: as branches, by repository.
        sent: paths of files that were downloaded.
        spoilt: by path, what is sent instead of what is listed.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.repos = {}
        self.tags = {}
        self.sent = []
        self.spoilt = {}

    def reply(self, handler, body):
        path, query = unquote(urlsplit(handler.path).path), urlsplit(handler.path).query
        if found := _API.fullmatch(path):
            answer = self._api(found["repo"], found["what"], (found["rest"] or "").strip("/"), body)
            if answer and found["what"] == "tree" and "recursive=true" not in query.lower():
                depth = min(row["path"].count("/") for row in answer)
                answer = [row for row in answer if row["path"].count("/") == depth]
        elif found := _FILE.fullmatch(path):
            self._file(handler, found)
            return
        else:
            answer = None
        if answer is None:
            kind = "RevisionNotFound" if self._repo(path) else "RepoNotFound"
            handler.send(404, b"{}", x_error_code=kind)
        else:
            handler.send(200, json.dumps(answer).encode(), content_type="application/json")

    def _repo(self, path):
        return any(f"/{name}" in path for name in self.repos)

    def _api(self, repo, what, rest, body):
        if repo not in self.repos:
            return None
        revisions = self.repos[repo]
        if what == "refs":
            tags = self.tags.get(repo, ())
            rows = [
                {"name": name, "ref": f"refs/{name}", "targetCommit": commit(files)}
                for name, files in revisions.items()
            ]
            return {
                "branches": [row for row in rows if row["name"] not in tags],
                "tags": [row for row in rows if row["name"] in tags],
                "converts": [],
            }
        revision, _, folder = (rest or "main").partition("/")
        files = self._files(repo, revision)
        if files is None:
            return None
        if what in (None, "revision"):
            siblings = [{"rfilename": name} for name in files]
            return {"id": repo, "sha": commit(files), "siblings": siblings, "private": False}
        rows = tree(files)
        if what == "paths-info":
            given = body.decode()
            asked = (
                json.loads(given)["paths"]
                if given.startswith("{")
                else re.findall(r"paths=([^&]*)", unquote(given))
            )
            return [row for row in rows if row["path"] in asked]
        above = f"{folder}/" if folder else ""
        return [row for row in rows if row["path"].startswith(above)]

    def _files(self, repo, revision):
        for name, files in self.repos.get(repo, {}).items():
            if revision in (name, commit(files)):
                return files
        return None

    def _file(self, handler, found):
        files = self._files(found["repo"], found["revision"])
        if files is None or found["path"] not in files:
            handler.send(404, b"", x_error_code="EntryNotFound")
            return
        data = self.spoilt.get(found["path"], files[found["path"]])
        if handler.command == "GET":
            self.sent.append(found["path"])
        handler.send(200, data, etag=f'"{digest(data)}"', x_repo_commit=commit(files))


def digest(data):
    return hashlib.sha1(data).hexdigest()


def commit(files):
    return digest(repr(sorted(files.items())).encode())


def tree(files):
    folders = {path.rpartition("/")[0] for path in files} - {""}
    rows = [{"type": "directory", "path": path, "oid": "0", "size": 0} for path in sorted(folders)]
    for path, data in files.items():
        row = {"type": "file", "path": path, "oid": digest(data), "size": len(data)}
        if path.endswith(".safetensors"):
            sha = hashlib.sha256(data).hexdigest()
            row["lfs"] = {"oid": sha, "size": len(data), "pointerSize": 134}
        rows.append(row)
    return rows
