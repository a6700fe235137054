import json
import os
import shutil
from datetime import datetime
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from ._control import ControlClient
from ._errors import RostraStartError
from ._people import App, People, User
from ._program import OwnedProgram, server_flags, temporary_folder
from ._records import Deliveries, Delivery, Request, Requests, Snapshot, Triggered, read_time
from ._units import Duration, milliseconds, size_in_bytes
from ._variables import variables_of


class Clock:
    """The clock of the server. Signatures and rate limits follow real time."""

    def __init__(self, client: ControlClient) -> None:
        self._client = client

    def _call(self, **args: Any) -> datetime:
        return read_time(self._client.command("clock", **args)["now"])

    def now(self) -> datetime:
        return self._call()

    def advance(self, by: Duration) -> datetime:
        """Moves it ahead. What falls due has happened when this returns."""
        return self._call(advance_ms=milliseconds(by))

    def set(self, time: Union[datetime, str]) -> datetime:
        return self._call(set=time if isinstance(time, str) else time.isoformat())

    def freeze(self) -> datetime:
        return self._call(freeze=True)

    def resume(self) -> datetime:
        return self._call(resume=True)

    def reset(self) -> datetime:
        """Sets it to real time."""
        return self._call(reset=True)


class Faults:
    def __init__(self, client: ControlClient) -> None:
        self._client = client

    def list(self) -> List[Dict[str, Any]]:
        return self._client.command("fault.list")["faults"]

    def clear(self, id: Optional[str] = None) -> int:
        """Removes one fault, or all. Returns how many."""
        return self._client.command("fault.clear", id=id)["cleared"]


class Streams:
    """Acts on open streams: all of them, or those of an endpoint or an app. Returns how many there were."""

    def __init__(self, client: ControlClient) -> None:
        self._client = client

    def _act(self, action: str, **args: Any) -> int:
        return self._client.command("stream.fault", action=action, **args)["streams"]

    def drop(self, endpoint: Optional[str] = None, app: Optional[str] = None) -> int:
        return self._act("drop", endpoint=endpoint, app=app)

    def stall(self, endpoint: Optional[str] = None, app: Optional[str] = None) -> int:
        return self._act("stall", endpoint=endpoint, app=app)

    def resume(self, endpoint: Optional[str] = None, app: Optional[str] = None) -> int:
        return self._act("resume", endpoint=endpoint, app=app)

    def disconnect(
        self, type: Optional[str] = None, endpoint: Optional[str] = None, app: Optional[str] = None
    ) -> int:
        return self._act("disconnect", disconnect_type=type, endpoint=endpoint, app=app)


class Snapshots:
    def __init__(self, client: ControlClient) -> None:
        self._client = client

    def list(self) -> List[Snapshot]:
        return [_read_snapshot(item) for item in self._client.command("snapshot.list")["snapshots"]]

    def delete(self, name: str) -> None:
        self._client.command("snapshot.delete", name=name)


def _read_snapshot(sent: Dict[str, Any]) -> Snapshot:
    return Snapshot(sent["name"], read_time(sent["created_at"]), sent.get("bytes"))


class Rostra:
    """Control of a server. `Rostra.start()` starts one, `Rostra.connect()` finds one that is running."""

    def __init__(
        self,
        control_url: str,
        credentials: Dict[str, Any],
        stop: Optional[Callable[[], None]] = None,
        data_dir: Optional[str] = None,
    ) -> None:
        self._client = ControlClient(control_url, credentials["admin_key"])
        self._stop = stop
        #: The data folder of a server on this machine.
        self.data_dir = data_dir
        self._people = People(self._client, credentials)
        self._deliveries = Deliveries(self._client)
        self._requests = Requests(self._client)
        self.credentials = credentials
        self.url: str = credentials["base_url"]
        self.ads_url: str = credentials["ads_url"]
        self.ads_sandbox_url: str = credentials["ads_sandbox_url"]
        #: Variables for programs under test: ROSTRA_URL, ROSTRA_BEARER_TOKEN ...
        self.env: Dict[str, str] = variables_of(credentials)
        self.clock = Clock(self._client)
        self.faults = Faults(self._client)
        self.streams = Streams(self._client)
        self.snapshots = Snapshots(self._client)

    @classmethod
    def start(
        cls,
        *,
        port: int = 0,
        data_dir: Union[str, Path, None] = None,
        database_url: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        timeout: Duration = 120,
        command: Optional[Sequence[str]] = None,
        **settings: Any,
    ) -> "Rostra":
        """Starts a server and waits until it is ready.

        Without `data_dir` its data is in a temporary folder, which is removed at the end. Settings are world, rate_limits,
        usage, strict, deterministic, workers and flags. It ends with `stop`, and when this process ends, however it ends.
        """
        temporary = temporary_folder() if data_dir is None else None
        folder = str(Path(temporary or data_dir or "").resolve())
        args = ["start", "--json", "--data-dir", folder, "--port", str(port)]
        if temporary:
            # The server removes the folder itself, since this process may be killed.
            args += ["--temporary-data", "on"]
        if database_url:
            args += ["--database-url", database_url]

        def remove() -> None:
            if temporary:
                shutil.rmtree(temporary, ignore_errors=True)

        try:
            program = OwnedProgram([*args, *server_flags(**settings)], env, timeout, command)
        except BaseException:
            remove()
            raise

        def stop() -> None:
            program.stop()
            remove()

        credentials = json.loads(Path(program.ready["credentials"]).read_text("utf8"))
        instance = json.loads((Path(folder) / "instance.json").read_text("utf8"))
        return cls(instance["listen_url"], credentials, stop, folder)

    @classmethod
    def connect(
        cls, url: Optional[str] = None, admin_key: Optional[str] = None, data_dir: Union[str, Path, None] = None
    ) -> "Rostra":
        """The control of a running server: by its address and admin key, or by its data folder (default ./data)."""
        if url is not None:
            if admin_key is None:
                raise TypeError("An address needs its admin_key, which is in credentials.json.")
            return cls(url, ControlClient(url, admin_key).get("/_rostra/credentials"))
        folder = Path(data_dir or os.environ.get("ROSTRA_DATA_DIR") or "data").resolve()
        try:
            instance = json.loads((folder / "instance.json").read_text("utf8"))
            credentials = json.loads((folder / "credentials.json").read_text("utf8"))
            found = cls(instance["listen_url"], credentials, data_dir=str(folder))
        except (OSError, ValueError, KeyError):
            raise RostraStartError(
                f"No server is running on the data folder {folder}. "
                "Start one with `npx rostra start`, or name another folder with data_dir."
            ) from None
        found.clock.now()
        return found

    def app(self, name: Optional[str] = None) -> App:
        """An app of credentials.json by its name; the first one without a name."""
        return self._people.app(name)

    def user(self, username: str) -> User:
        """A user of credentials.json, or one that was made by `create_user`."""
        return self._people.user(username)

    def create_user(self, username: str, **options: Any) -> User:
        return self._people.create_user(username, **options)

    def create_app(self, name: str, owner: Optional[str] = None, **options: Any) -> App:
        return self._people.create_app(name, owner, **options)

    def apply_world(self, world: Dict[str, Any], dry_run: bool = False) -> Dict[str, Any]:
        """Makes what a world file describes: users, apps, follows, posts. What is there already stays."""
        applied = self._client.command("world.apply", world=world, dry_run=dry_run or None)
        self._people.refresh()
        return {name: applied[name] for name in ("created", "changed", "unchanged")}

    def fault(
        self,
        match: str,
        *,
        app: Optional[str] = None,
        user: Optional[str] = None,
        times: Optional[int] = None,
        rate: Optional[float] = None,
        status: Optional[int] = None,
        named: Optional[str] = None,
        delay: Optional[Duration] = None,
        drop_after: Union[int, str, None] = None,
        stall: Optional[Duration] = None,
        malformed: Optional[bool] = None,
    ) -> Dict[str, Any]:
        """Adds a fault: requests that match fail. Name exactly one of status, named, delay, drop_after, stall, malformed."""
        return self._client.command(
            "fault.add",
            match=match,
            app=app,
            user=user,
            times=times,
            rate=rate,
            status=status,
            named=named,
            delay_ms=None if delay is None else milliseconds(delay),
            drop_after_bytes=None if drop_after is None else size_in_bytes(drop_after),
            stall_ms=None if stall is None else milliseconds(stall),
            malformed=malformed,
        )

    def fail_next_delivery(
        self,
        webhook_id: Optional[str] = None,
        times: Optional[int] = None,
        status: Optional[int] = None,
        kind: Optional[str] = None,
    ) -> None:
        """Lets the next deliveries fail as if the receiver had."""
        self._client.command("delivery.fail_next", webhook_id=webhook_id, times=times, status=status, kind=kind)

    def reset(self) -> None:
        """Brings the first world back. Keys, ids and tokens stay the same."""
        self._client.post("/_rostra/reset")
        self._forget()

    def snapshot(self, name: str) -> Snapshot:
        return _read_snapshot(self._client.command("snapshot.save", name=name))

    def restore(self, name: str) -> None:
        self._client.command("snapshot.restore", name=name)
        self._forget()

    def trigger(
        self,
        event_type: str,
        *,
        user: Optional[str] = None,
        target: Optional[str] = None,
        text: Optional[str] = None,
        post_id: Optional[str] = None,
    ) -> Triggered:
        """Makes an event happen by its real action."""
        sent = self._client.command(
            "trigger", event_type=event_type, user=user, target=target, text=text, post_id=post_id
        )
        return Triggered(
            sent["event_type"], sent["done"], sent["first"], sent["user_id"], sent.get("event_place"), sent
        )

    def deliveries(
        self,
        webhook_id: Optional[str] = None,
        state: Optional[str] = None,
        event_type: Optional[str] = None,
        limit: int = 100,
    ) -> List[Delivery]:
        """What was sent to webhooks, oldest first."""
        return self._deliveries.list(webhook_id, state, event_type, limit)

    def requests(self, **filters: Any) -> List[Request]:
        """The requests since the last reset, oldest first, without those of the control interface.

        Filters are method, path (a text or a compiled pattern), operation, status, user, app and refused.
        """
        return self._requests.list(**filters)

    def wait_for_delivery(
        self,
        predicate: Optional[Callable[[Delivery], bool]] = None,
        *,
        event_type: Optional[str] = None,
        state: str = "delivered",
        timeout: Duration = 5,
    ) -> Delivery:
        """The first delivery that matches and that was not returned before. `state="any"` takes one not sent yet."""
        return self._deliveries.wait(predicate, event_type, state, timeout)

    def wait_for_request(
        self, predicate: Optional[Callable[[Request], bool]] = None, *, timeout: Duration = 5, **filters: Any
    ) -> Request:
        """The first request that matches and that was not returned before."""
        return self._requests.wait(predicate, timeout, filters)

    def command(self, name: str, /, **args: Any) -> Any:
        """Runs a command of the control interface."""
        return self._client.command(name, **args)

    def stop(self) -> None:
        """Ends the server if this controller started it."""
        stop, self._stop = self._stop, None
        if stop:
            stop()

    def _forget(self) -> None:
        self._people.forget()
        self._deliveries.forget()

    def __enter__(self) -> "Rostra":
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()
