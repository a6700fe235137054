import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections import deque
from pathlib import Path
from typing import Any, Deque, Dict, List, Mapping, Optional, Sequence

from ._errors import RostraStartError
from ._units import Duration, milliseconds

# Variables that set up a server. Those of the process under test are about other programs.
_SETTINGS = re.compile(r"^(ROSTRA_|PG[A-Z]|PORT$|DATABASE_URL$|NATS_URL$)")
_KEPT_LINES = 200
_STOP_WITHIN_S = 30


def server_flags(
    world: Optional[str] = None,
    rate_limits: Optional[bool] = None,
    usage: Optional[bool] = None,
    strict: Optional[bool] = None,
    deterministic: Optional[str] = None,
    workers: int = 1,
    flags: Sequence[str] = (),
) -> List[str]:
    """The flags of `rostra start` for settings that single servers and worlds share."""
    given = {
        "world": world,
        "rate-limits": rate_limits,
        "usage": usage,
        "strict": strict,
        "deterministic": deterministic,
        "workers": workers,
    }
    found: List[str] = []
    for name, value in given.items():
        if value is not None:
            found += [f"--{name}", {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)]
    return [*found, *flags]


def find_command(given: Optional[Sequence[str]] = None) -> List[str]:
    """How `rostra` is called: as given, by ROSTRA_COMMAND, from this checkout, from node_modules, or by npx."""
    if given:
        return list(given)
    if os.environ.get("ROSTRA_COMMAND"):
        return os.environ["ROSTRA_COMMAND"].split()
    node = shutil.which("node")
    # clients/python/rostra of a checkout.
    checkout = Path(__file__).resolve().parent.joinpath("..", "..", "..", "bin", "rostra.js").resolve()
    if node and checkout.exists():
        return [node, str(checkout)]
    for folder in [Path.cwd(), *Path.cwd().parents]:
        installed = folder / "node_modules" / "rostra" / "bin" / "rostra.js"
        if node and installed.exists():
            return [node, str(installed)]
    npx = shutil.which("npx")
    if npx:
        return [npx, "--yes", "rostra"]
    raise RostraStartError("Neither node nor npx was found. Rostra needs Node 20.19 or newer.")


def temporary_folder() -> str:
    folder = tempfile.mkdtemp(prefix="rostra-")
    # PostgreSQL runs as another user when root starts it, and has to get through.
    os.chmod(folder, 0o711)
    return folder


class OwnedProgram:
    """A `rostra` command that runs as long as this process and no longer.

    Its standard input is a pipe from this process: when the pipe ends, because of `stop` or because this process is gone
    for whatever reason, it stops. Ctrl-C in the terminal does not reach it.
    """

    def __init__(
        self,
        args: Sequence[str],
        env: Optional[Mapping[str, str]] = None,
        timeout: Duration = 120,
        command: Optional[Sequence[str]] = None,
    ) -> None:
        outside = {name: value for name, value in os.environ.items() if not _SETTINGS.match(name)}
        self._lines: Deque[str] = deque(maxlen=_KEPT_LINES)
        self._child = subprocess.Popen(
            [*find_command(command), *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**outside, **(env or {}), "ROSTRA_OWNER_FD": "0"},
            text=True,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        try:
            self.ready: Dict[str, Any] = self._wait_until_ready(milliseconds(timeout))
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        return self._child.pid

    def log(self) -> List[str]:
        """The last lines of its standard error."""
        return list(self._lines)

    def stop(self) -> None:
        if self._child.stdin and not self._child.stdin.closed:
            self._child.stdin.close()
        try:
            self._child.wait(_STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._reader.join(1)
        for stream in (self._child.stdout, self._child.stderr):
            if stream:
                stream.close()

    def _read_log(self) -> None:
        try:
            for line in self._child.stderr or ():
                self._lines.append(line.rstrip("\n"))
        except ValueError:
            # It was closed by stop().
            pass

    def _wait_until_ready(self, within_ms: int) -> Dict[str, Any]:
        answer: List[str] = []
        reader = threading.Thread(target=lambda: answer.append(self._child.stdout.readline()), daemon=True)
        reader.start()
        reader.join(within_ms / 1000)
        if reader.is_alive():
            raise self._failure(f"The server was not ready within {within_ms} ms.")
        try:
            return json.loads(answer[0])
        except (IndexError, ValueError):
            self._child.wait(_STOP_WITHIN_S)
            self._reader.join(1)
            raise self._failure(f"The server ended with code {self._child.returncode} before it was ready.") from None

    def _failure(self, what: str) -> RostraStartError:
        said = "\n".join(self._lines)
        return RostraStartError(f"{what} It wrote:\n{said}" if said else what)
