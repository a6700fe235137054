"""Control of a Rostra server: start one for tests, or connect to one that is running."""

from ._controller import Rostra
from ._errors import RostraError, RostraStartError, RostraTimeoutError
from ._people import App, OAuth2Tokens, User
from ._records import Delivery, Request, Snapshot, Triggered
from ._worlds import Worlds

__all__ = [
    "App",
    "Delivery",
    "OAuth2Tokens",
    "Request",
    "Rostra",
    "RostraError",
    "RostraStartError",
    "RostraTimeoutError",
    "Snapshot",
    "Triggered",
    "User",
    "Worlds",
]
