import base64
import hashlib
import hmac
import secrets
import time
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._control import ControlClient


@dataclass(frozen=True)
class App:
    """An app and its keys."""

    name: str
    tier: str
    api_key: str
    api_key_secret: str
    bearer_token: str
    client_id: str
    client_secret: str
    callback_urls: List[str]
    id: Optional[str] = None


@dataclass(frozen=True)
class OAuth2Tokens:
    access_token: str
    refresh_token: Optional[str]
    scopes: List[str]
    expires_in: Optional[int]


@dataclass(frozen=True)
class User:
    """A user, with what a client needs to act as this user. The OAuth 1.0a token is for the first app."""

    id: str
    username: str
    password: Optional[str]
    access_token: str
    access_token_secret: str
    api_key: str
    api_key_secret: str
    _people: "People" = field(repr=False, compare=False)

    def oauth2(self, scopes: Optional[Sequence[str]] = None, app: Optional[str] = None) -> OAuth2Tokens:
        """New OAuth 2.0 tokens; without scopes, those that the app may ask for."""
        sent = self._people.token(self.id, app, oauth2=True, scopes=None if scopes is None else list(scopes))
        return OAuth2Tokens(
            access_token=sent["access_token"],
            refresh_token=sent.get("refresh_token"),
            scopes=list(sent.get("scopes", scopes or [])),
            expires_in=sent.get("expires_in"),
        )

    def oauth1(self, app: Optional[str] = None, access_level: Optional[str] = None) -> Tuple[str, str]:
        """A new OAuth 1.0a access token and its secret. It replaces the one that this user had for the app."""
        sent = self._people.token(self.id, app, access_level=access_level)
        return sent["access_token"], sent["access_token_secret"]

    def authorization(self, method: str, address: str, form: Optional[Dict[str, str]] = None) -> str:
        """The Authorization header of a request, signed by OAuth 1.0a. `form` are the pairs of a form body."""
        own = {
            "oauth_consumer_key": self.api_key,
            "oauth_nonce": secrets.token_hex(16),
            "oauth_signature_method": "HMAC-SHA1",
            "oauth_timestamp": str(int(time.time())),
            "oauth_token": self.access_token,
            "oauth_version": "1.0",
        }
        parts = urllib.parse.urlsplit(address)
        query = urllib.parse.parse_qsl(parts.query, keep_blank_values=True)
        pairs = sorted((_quote(name), _quote(value)) for name, value in [*query, *(form or {}).items(), *own.items()])
        base_address = urllib.parse.urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path or "/", "", ""))
        joined = "&".join(f"{name}={value}" for name, value in pairs)
        base = "&".join([method.upper(), _quote(base_address), _quote(joined)])
        key = f"{_quote(self.api_key_secret)}&{_quote(self.access_token_secret)}"
        digest = hmac.new(key.encode(), base.encode(), hashlib.sha1).digest()
        own["oauth_signature"] = base64.b64encode(digest).decode()
        return "OAuth " + ", ".join(f'{_quote(name)}="{_quote(value)}"' for name, value in own.items())


def _quote(text: str) -> str:
    return urllib.parse.quote(text, safe="-._~")


class People:
    """The apps and users that programs under test act as."""

    def __init__(self, client: ControlClient, credentials: Dict[str, Any]) -> None:
        self._client = client
        self._credentials = credentials
        self._first = {"apps": credentials["apps"], "users": credentials["users"]}
        self._users: Dict[str, User] = {}
        self._apps: Dict[str, App] = {}

    def forget(self) -> None:
        """The world was replaced: what was made since is gone."""
        self._credentials.update(self._first)
        self._users.clear()
        self._apps.clear()

    def refresh(self) -> None:
        """The credentials have changed."""
        self._credentials.update(self._client.get("/_rostra/credentials"))

    def app(self, name: Optional[str] = None) -> App:
        if name in self._apps:
            return self._apps[name]
        apps = self._credentials["apps"]
        for item in apps:
            if name is None or item["name"] == name:
                return _read_app(item)
        known = [item["name"] for item in apps] + list(self._apps)
        raise LookupError(f"There is no app {name!r}. Known are {', '.join(known) or 'none'}.")

    def user(self, username: str) -> User:
        name = username[1:] if username.startswith("@") else username
        if name in self._users:
            return self._users[name]
        users = self._credentials["users"]
        for item in users:
            if item["username"] == name:
                return self._handle(item)
        known = [item["username"] for item in users] + list(self._users)
        raise LookupError(
            f"There is no user {name!r}. Known are {', '.join(known) or 'none'}; create_user makes others."
        )

    def create_user(self, username: str, **options: Any) -> User:
        created = self._client.command("user.create", username=username, **options)
        user = self._handle({**created, **self.token(created["id"], None)})
        self._users[user.username] = user
        return user

    def create_app(self, name: str, owner: Optional[str] = None, **options: Any) -> App:
        whose = owner or self._credentials["users"][0]["username"]
        app = _read_app(self._client.command("app.create", name=name, owner=whose, **options))
        self._apps[app.name] = app
        return app

    def token(self, user_id: str, app: Optional[str], **args: Any) -> Dict[str, Any]:
        name = app or self.app().name
        made = self._apps.get(name)
        return self._client.command("user.token", user=user_id, app=made.id if made else name, **args)

    def _handle(self, facts: Dict[str, Any]) -> User:
        first = self.app()
        return User(
            id=facts["id"],
            username=facts["username"],
            password=facts.get("password"),
            access_token=facts.get("access_token") or "",
            access_token_secret=facts.get("access_token_secret") or "",
            api_key=first.api_key,
            api_key_secret=first.api_key_secret,
            _people=self,
        )


def _read_app(found: Dict[str, Any]) -> App:
    return App(
        id=found.get("id"),
        name=found["name"],
        tier=found["tier"],
        api_key=found["api_key"],
        api_key_secret=found["api_key_secret"],
        bearer_token=found.get("bearer_token") or "",
        client_id=found["client_id"],
        client_secret=found.get("client_secret") or "",
        callback_urls=list(found.get("callback_urls") or []),
    )
