"""Fixtures for pytest: `rostra`, one server for the session, and `rostra_world`, the same server reset before each test.

With pytest-xdist every worker has a world of its own; all are on one PostgreSQL, which starts when it is first needed.
Under `rostra exec -- pytest` the fixtures control the server of `rostra exec`.
"""

import json
import os
import secrets
import socket
import threading
from typing import Any, Dict, Iterator, Optional

import pytest

from ._controller import Rostra
from ._errors import RostraStartError
from ._worlds import Worlds

_GATE = pytest.StashKey["_Gate"]()


class _Gate:
    """Starts the worlds when the first worker asks for them. It lives in the process that owns the workers."""

    def __init__(self) -> None:
        self.key = secrets.token_hex(16)
        self._worlds: Optional[Worlds] = None
        self._lock = threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rw", encoding="utf8") as stream:
            try:
                asked = json.loads(stream.readline())
                if asked.get("key") != self.key:
                    return
                with self._lock:
                    self._worlds = self._worlds or Worlds.start(**asked["options"])
                answer: Dict[str, Any] = {"url": self._worlds.url, "key": self._worlds.key}
            except Exception as error:  # The worker shows it.
                answer = {"error": str(error)}
            stream.write(json.dumps(answer) + "\n")

    def stop(self) -> None:
        self._socket.close()
        with self._lock:
            if self._worlds:
                self._worlds.stop()
                self._worlds = None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tells each worker of xdist where worlds are made."""
    stash = node.config.stash
    gate = stash.setdefault(_GATE, None) or _Gate()
    stash[_GATE] = gate
    node.workerinput["rostra_gate"] = {"port": gate.port, "key": gate.key}


def pytest_unconfigure(config: pytest.Config) -> None:
    gate = config.stash.get(_GATE, None)
    if gate:
        gate.stop()


def _ask_gate(gate: Dict[str, Any], options: Dict[str, Any]) -> Worlds:
    with socket.create_connection(("127.0.0.1", gate["port"])) as connection:
        with connection.makefile("rw", encoding="utf8") as stream:
            stream.write(json.dumps({"key": gate["key"], "options": options}) + "\n")
            stream.flush()
            answer = json.loads(stream.readline())
    if "error" in answer:
        raise RostraStartError(answer["error"])
    return Worlds(answer["url"], answer["key"])


@pytest.fixture(scope="session")
def rostra_options() -> Dict[str, Any]:
    """Settings of the server, such as {"rate_limits": False}. Override it in conftest.py."""
    return {}


@pytest.fixture(scope="session")
def rostra(request: pytest.FixtureRequest, rostra_options: Dict[str, Any]) -> Iterator[Rostra]:
    """One server for the session, or for each worker of xdist."""
    url, admin_key = os.environ.get("ROSTRA_URL"), os.environ.get("ROSTRA_ADMIN_KEY")
    worker = getattr(request.config, "workerinput", None)
    if url and admin_key:
        server = Rostra.connect(url, admin_key)
    elif worker and "rostra_gate" in worker:
        server = _ask_gate(worker["rostra_gate"], rostra_options).open(worker["workerid"])
    else:
        server = Rostra.start(**rostra_options)
    with server:
        yield server


@pytest.fixture
def rostra_world(rostra: Rostra) -> Rostra:
    """The server with its first world, which is restored before each test."""
    rostra.reset()
    return rostra
