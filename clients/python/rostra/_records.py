import re
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Callable, Dict, List, Optional, Set, TypeVar

from ._control import ControlClient
from ._errors import RostraTimeoutError
from ._units import Duration, milliseconds

_MOST = 1000
_NAMED_AT_MOST = 10
_CONTROL = "/_rostra/"

T = TypeVar("T")


def read_time(text: str) -> datetime:
    # Before Python 3.11 the Z is not understood.
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


@dataclass(frozen=True)
class Delivery:
    """Something that was sent, or will be sent, to a webhook."""

    id: str
    webhook_id: str
    url: Optional[str]
    app_id: str
    kind: str
    event_type: Optional[str]
    sequence: Optional[str]
    state: str
    attempts: List[Dict[str, Any]]
    created_at: datetime
    next_attempt_at: Optional[datetime]
    text: str
    body: Any


@dataclass(frozen=True)
class Request:
    """A request that the server answered."""

    seq: str
    time: datetime
    method: str
    path: str
    operation: Optional[str]
    status: int
    latency_ms: Optional[float]
    app_id: Optional[str]
    app: Optional[str]
    user: Optional[str]
    credential: Optional[str]
    naming: str
    reason: Optional[str]
    details: Optional[Dict[str, str]]
    cost_micros: Optional[int]
    fault: Any


@dataclass(frozen=True)
class Snapshot:
    name: str
    created_at: datetime
    bytes: Optional[int]


@dataclass(frozen=True)
class Triggered:
    """What a trigger did. `facts` has all members as the server has them, such as `post_id`."""

    event_type: str
    done: str
    first: List[str]
    user_id: str
    sequence: Optional[str]
    facts: Dict[str, Any]


def wait_for(
    what: str, timeout: Duration, look: Callable[[], Optional[T]], seen: Callable[[], str]
) -> T:
    within_ms = milliseconds(timeout)
    deadline = time.monotonic() + within_ms / 1000
    pause = 0.01
    while True:
        found = look()
        if found is not None:
            return found
        left = deadline - time.monotonic()
        if left <= 0:
            raise RostraTimeoutError(f"No {what} within {within_ms} ms. {seen()}")
        time.sleep(min(pause, left))
        pause = min(0.1, pause * 1.5)


class Deliveries:
    def __init__(self, client: ControlClient) -> None:
        self._client = client
        self._returned: Set[str] = set()

    def forget(self) -> None:
        """The world was replaced: ids may come again."""
        self._returned.clear()

    def list(
        self,
        webhook_id: Optional[str] = None,
        state: Optional[str] = None,
        event_type: Optional[str] = None,
        limit: int = 100,
    ) -> List[Delivery]:
        query = f"limit={_MOST if event_type else limit}"
        if webhook_id is not None:
            query += f"&webhook_id={webhook_id}"
        if state is not None:
            query += f"&state={state}"
        sent = self._client.get(f"/_rostra/deliveries?{query}")["deliveries"]
        found = [item for item in map(_read_delivery, sent) if event_type is None or item.event_type == event_type]
        return found[:limit][::-1]

    def wait(
        self,
        predicate: Optional[Callable[[Delivery], bool]],
        event_type: Optional[str],
        state: str,
        timeout: Duration,
    ) -> Delivery:
        def look() -> Optional[Delivery]:
            for item in self.list(event_type=event_type, limit=_MOST):
                if item.id in self._returned or (state != "any" and item.state != state):
                    continue
                if predicate is None or predicate(item):
                    return item
            return None

        what = "delivery that matches" + ("" if state == "any" else f" in state {state}")
        found = wait_for(what, timeout, look, lambda: _describe_deliveries(self.list(limit=_NAMED_AT_MOST)))
        self._returned.add(found.id)
        return found


def _describe_deliveries(deliveries: List[Delivery]) -> str:
    if not deliveries:
        return "There are no deliveries. Is there a webhook with a subscription that the event concerns?"
    lines = []
    for item in deliveries:
        last = item.attempts[-1] if item.attempts else None
        answer = f", last answer {last.get('status') or last.get('error')}" if last else ""
        lines.append(f"  {item.id} {item.event_type or item.kind} {item.state}{answer} {item.url}")
    return "The last ones are:\n" + "\n".join(lines)


def _read_delivery(sent: Dict[str, Any]) -> Delivery:
    kind = sent["kind"]
    named = kind[len("activity:") :] if kind.startswith("activity:") else None
    following = sent.get("next_attempt_at")
    return Delivery(
        id=sent["id"],
        webhook_id=sent["webhook_id"],
        url=sent.get("url"),
        app_id=sent["app_id"],
        kind=kind,
        event_type=named or sent.get("event_type"),
        sequence=sent.get("event_place"),
        state=sent["state"],
        attempts=sent["record"],
        created_at=read_time(sent["created_at"]),
        next_attempt_at=None if following is None else read_time(following),
        text=sent["request"]["text"],
        body=sent["request"]["body"],
    )


class Requests:
    def __init__(self, client: ControlClient) -> None:
        self._client = client
        self._returned: Set[str] = set()
        # The request log outlives a reset. Its entry marks where the present world begins.
        self._after = "0"

    def list(self, **filters: Any) -> List[Request]:
        return [item for item in self._all() if _matches(item, filters)]

    def wait(
        self, predicate: Optional[Callable[[Request], bool]], timeout: Duration, filters: Dict[str, Any]
    ) -> Request:
        def look() -> Optional[Request]:
            for item in self._all():
                if item.seq in self._returned or not _matches(item, filters):
                    continue
                if predicate is None or predicate(item):
                    return item
            return None

        found = wait_for("request that matches", timeout, look, lambda: _describe_requests(self._all()))
        self._returned.add(found.seq)
        return found

    def _all(self) -> List[Request]:
        sent = self._client.get(f"/_rostra/requests?limit={_MOST}&after={self._after}")["requests"]
        begin = 0
        for at, item in enumerate(sent):
            if item["method"] == "POST" and item["path"] == "/_rostra/reset" and item["status"] < 400:
                begin, self._after = at + 1, item["seq"]
        return [_read_request(item) for item in sent[begin:] if not item["path"].startswith(_CONTROL)]


_FILTERS = {"method", "path", "operation", "status", "user", "app", "refused"}


def _matches(item: Request, filters: Dict[str, Any]) -> bool:
    unknown = set(filters) - _FILTERS
    if unknown:
        raise TypeError(f"{', '.join(sorted(unknown))} is not a filter. Filters are {', '.join(sorted(_FILTERS))}.")
    for name, wanted in filters.items():
        if wanted is None:
            continue
        if name == "path":
            plain = item.path.split("?")[0]
            if not (wanted.search(plain) if isinstance(wanted, re.Pattern) else plain == wanted):
                return False
        elif name == "refused":
            if (item.status >= 400) != wanted:
                return False
        elif getattr(item, name) != (wanted.upper() if name == "method" else wanted):
            return False
    return True


def _describe_requests(requests: List[Request]) -> str:
    if not requests:
        return "There were no requests. Does the program use the address of this server?"
    lines = [
        f"  {item.status} {item.method} {item.path}" + (f": {item.reason}" if item.reason else "")
        for item in requests[-_NAMED_AT_MOST:]
    ]
    return "The last ones are:\n" + "\n".join(lines)


def _read_request(sent: Dict[str, Any]) -> Request:
    return Request(
        seq=sent["seq"],
        time=read_time(sent["time"]),
        method=sent["method"],
        path=sent["path"],
        operation=sent.get("operation"),
        status=sent["status"],
        latency_ms=sent.get("latency_ms"),
        app_id=sent.get("app_id"),
        app=sent.get("app"),
        user=sent.get("user"),
        credential=sent.get("credential"),
        naming=sent["naming"],
        reason=sent.get("reason"),
        details=sent.get("details"),
        cost_micros=sent.get("cost_micros"),
        fault=sent.get("fault"),
    )
