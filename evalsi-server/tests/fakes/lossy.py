"""A way to a server on which the first answers are lost, as on a network that breaks.

with Lossy(port, lost=1) as way:
    ... ask way.port: the server answers twice, the client hears once ...
"""

import socket
import threading
from contextlib import suppress


class Lossy:
    """Passes connections on to `port`; of the first `lost` the answer is read and dropped."""

    def __init__(self, port, lost):
        self._to = port
        self._lost = lost
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._clients = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    def _accept(self):
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return  # the block has ended
            self._lost -= 1
            self._clients.append(client)
            thread = threading.Thread(
                target=self._pass, args=(client, self._lost >= 0), daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def _pass(self, client, is_lost):
        with client, socket.create_connection(("127.0.0.1", self._to)) as server:
            there = threading.Thread(target=_copied, args=(client, server), daemon=True)
            there.start()
            if is_lost:
                server.recv(1)  # the server has answered: its work is done
                client.shutdown(socket.SHUT_RDWR)
            else:
                _copied(server, client)
            there.join(30)

    def __enter__(self):
        self._threads[0].start()
        return self

    def __exit__(self, *_):
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for client in self._clients:
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)  # a client keeps its connection for a while
        for thread in self._threads:
            thread.join(30)


def _copied(source, target):
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # one side went away
