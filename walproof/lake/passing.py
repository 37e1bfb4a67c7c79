"""Errors of reading that may be gone a moment later, and the patience that they are owed."""

from __future__ import annotations

import errno
import functools
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

PASSING = frozenset(
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
"""A disk, mount or network that failed once, or a machine that was short of something. What is not
there, or not allowed, does not come by waiting."""
PAUSES = (0.05, 0.5)
"""Seconds before each further try."""

Given = ParamSpec("Given")
Made = TypeVar("Made")


def may_pass(error: BaseException) -> bool:
    """Whether the same call may succeed a moment later."""
    return isinstance(error, OSError) and error.errno in PASSING


def patient(call: Callable[Given, Made]) -> Callable[Given, Made]:
    """The same function, which tries again where an error may pass. Raises what comes last."""

    @functools.wraps(call)
    def tried(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        for pause in PAUSES:
            try:
                return call(*args, **kwargs)
            except OSError as error:
                if not may_pass(error):
                    raise
                time.sleep(pause)
        return call(*args, **kwargs)

    return tried
