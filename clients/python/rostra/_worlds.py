from typing import Any, Mapping, Optional, Sequence

from ._control import ControlClient
from ._controller import Rostra
from ._program import OwnedProgram, server_flags
from ._units import Duration


class Worlds:
    """One PostgreSQL for a test run. Each name that is asked for gets a world with a server of its own."""

    def __init__(self, url: str, key: str, program: Optional[OwnedProgram] = None) -> None:
        self.url = url
        self.key = key
        self._program = program

    @classmethod
    def start(
        cls,
        env: Optional[Mapping[str, str]] = None,
        timeout: Duration = 120,
        command: Optional[Sequence[str]] = None,
        **settings: Any,
    ) -> "Worlds":
        """Starts it. Settings are those of `Rostra.start`: world, rate_limits, usage, strict, deterministic, flags."""
        program = OwnedProgram(["worlds", "--json", *server_flags(**settings)], env, timeout, command)
        return cls(program.ready["url"], program.ready["key"], program)

    def open(self, name: str) -> Rostra:
        """The control of the world with a name. Whoever asks for the same name gets the same world."""
        made = ControlClient(self.url, self.key).post(f"/worlds/{name}")
        return Rostra(made["control_url"], made["credentials"])

    def stop(self) -> None:
        if self._program:
            self._program.stop()
