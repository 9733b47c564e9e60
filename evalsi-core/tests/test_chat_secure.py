"""TLS and proxies: the general client's part, against real ones on loopback."""

from __future__ import annotations

import asyncio
import os
import shutil
import ssl
import subprocess

import pytest
from fault_server import FaultServer, reply

from evalsi.core.chat import Sampling, ServerError
from evalsi.core.chat.client import ChatClient
from evalsi.core.chat.retry import Budgets
from evalsi.core.chat.wires import CHAT

ONCE = Budgets(0, 0, 0, 0, 0, timeout_s=5.0, deadline_s=10.0)


def ask(url, times=1):
    async def main():
        client = ChatClient(CHAT, url, "", Sampling("tiny"), ONCE)
        asking = (client.ask([{"role": "user", "content": "hello"}]) for _ in range(times))
        return [output.text for output in await asyncio.gather(*asking)]

    return asyncio.run(main())


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    if shutil.which("openssl") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("openssl belongs to this run")
        pytest.skip("no openssl here to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    made = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    named = ["-subj", "/CN=evalsi tests", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    subprocess.run([*made.split(), *named, *files], check=True, capture_output=True)
    return folder


@pytest.fixture
def tls(certificate):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    return context


def test_a_trusted_server_is_asked_over_tls(tls, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))
    with FaultServer([reply("4")], tls=tls) as server:
        assert ask(server.url, times=8) == ["4"] * 8


def test_a_server_that_nobody_vouches_for_gets_no_request(tls):
    with FaultServer([reply("4")], tls=tls) as server, pytest.raises(ServerError) as raised:
        ask(server.url)
    assert raised.value.cause == "connect"
    assert "certificate verify failed" in str(raised.value)
    assert server.asked == []


def test_a_proxy_of_the_environment_carries_the_request(monkeypatch):
    with FaultServer([reply("by proxy")]) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert ask("http://model.invalid/v1") == ["by proxy"]
    assert proxy.asked[0].path == "http://model.invalid/v1/chat/completions"
