import re
from datetime import timedelta
from typing import Union

#: A timedelta, a number of seconds, or a text such as "90s", "2h" or "1h30m".
Duration = Union[timedelta, int, float, str]

_UNITS_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|w)")


def milliseconds(duration: Duration) -> int:
    if isinstance(duration, timedelta):
        return round(duration.total_seconds() * 1000)
    if isinstance(duration, (int, float)) and not isinstance(duration, bool) and duration >= 0:
        return round(duration * 1000)
    parts = _PART.findall(duration) if isinstance(duration, str) else []
    if parts and "".join(number + unit for number, unit in parts) == str(duration).strip():
        return round(sum(float(number) * _UNITS_MS[unit] for number, unit in parts))
    raise ValueError(
        f"{duration!r} is not a duration. Use a timedelta, seconds, or a number with ms, s, m, h, d or w, such as '2h'."
    )


def size_in_bytes(size: Union[int, str]) -> int:
    found = re.fullmatch(r"(\d+)\s*(b|kb|mb)?", str(size), re.IGNORECASE)
    if not found:
        raise ValueError(f"{size!r} is not a size. Use bytes, or '10kb' or '1mb'.")
    return int(found[1]) * {"b": 1, "kb": 1024, "mb": 1024**2}[(found[2] or "b").lower()]
