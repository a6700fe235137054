import json
import urllib.error
import urllib.request
from typing import Any, Optional

from ._errors import RostraError, sentence_of

# A proxy of the user is for the world outside: the server is usually on this machine, and `rostra exec` is a proxy itself.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_TIMEOUT_S = 120


class ControlClient:
    """Calls the control interface of a server."""

    def __init__(self, url: str, admin_key: str) -> None:
        self.url = url.rstrip("/")
        self._key = admin_key

    def get(self, path: str) -> Any:
        return self._call("GET", path, None)

    def post(self, path: str, body: Optional[dict] = None) -> Any:
        return self._call("POST", path, {} if body is None else body)

    def command(self, name: str, /, **args: Any) -> Any:
        return self.post(f"/_rostra/commands/{name}", {key: value for key, value in args.items() if value is not None})

    def _call(self, method: str, path: str, body: Optional[dict]) -> Any:
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
        )
        try:
            with _opener.open(request, timeout=_TIMEOUT_S) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            text = error.read()
            try:
                parsed = json.loads(text)
            except ValueError:
                parsed = text.decode(errors="replace")
            raise RostraError(sentence_of(parsed, error.code), error.code, parsed) from None
        except OSError as error:
            raise RostraError(f"The server at {self.url} does not answer: {error}", 0) from error
