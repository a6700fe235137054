from typing import Any


class RostraError(Exception):
    """The server refused a call. The message is its sentence; `status` is 0 when there was no answer."""

    def __init__(self, message: str, status: int, body: Any = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = body


class RostraTimeoutError(Exception):
    """Nothing that matches came in time."""


class RostraStartError(Exception):
    """The server could not be started or reached."""


def sentence_of(body: Any, status: int) -> str:
    """The sentences of an error answer."""
    problem = body if isinstance(body, dict) else {}
    errors = problem.get("errors")
    words = " ".join(
        str(item.get("message") or item.get("detail") or "")
        for item in (errors if isinstance(errors, list) else [])
        if isinstance(item, dict)
    )
    return words.strip() or str(problem.get("detail") or problem.get("title") or f"The server answered {status}.")
