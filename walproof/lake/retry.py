"""Retry reads after transient errors, with a backoff."""

from __future__ import annotations

import errno
import functools
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

#: These errors are transient: errors of a disk, mount or network, and temporary shortages on this
#: machine. Missing files and missing permissions are not transient.
TRANSIENT_ERRNOS = frozenset(
    {
        errno.EAGAIN,
        errno.EBUSY,
        errno.ECONNABORTED,
        errno.ECONNREFUSED,
        errno.ECONNRESET,
        errno.EHOSTDOWN,
        errno.EHOSTUNREACH,
        errno.EINTR,
        errno.EIO,
        errno.EMFILE,
        errno.ENETDOWN,
        errno.ENETUNREACH,
        errno.ENFILE,
        errno.ENOBUFS,
        errno.ENOMEM,
        errno.ENOTCONN,
        errno.EREMOTEIO,
        errno.ESTALE,
        errno.ETIMEDOUT,
    }
)
#: Seconds to wait before each retry.
PAUSE_SECONDS = (0.05, 0.5)

Given = ParamSpec("Given")
Made = TypeVar("Made")


def is_transient(error: BaseException) -> bool:
    """Return whether the same call may succeed a moment later."""
    return isinstance(error, OSError) and error.errno in TRANSIENT_ERRNOS


def with_retries(call: Callable[Given, Made]) -> Callable[Given, Made]:
    """Return a function that retries another one after transient errors. Raises the last error."""

    @functools.wraps(call)
    def tried(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        for pause in PAUSE_SECONDS:
            try:
                return call(*args, **kwargs)
            except OSError as error:
                if not is_transient(error):
                    raise
                time.sleep(pause)
        return call(*args, **kwargs)

    return tried
