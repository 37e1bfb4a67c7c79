"""Read, write and test write-ahead logs. See ``docs/python.md``.

Each name is imported on first use, which keeps ``import walproof`` fast.
"""

from __future__ import annotations

from importlib import import_module

#: This constant replaces ``typing.TYPE_CHECKING``, because importing ``typing`` would take longer
#: than everything else in ``import walproof``.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from reference_impl.answer import Answer, Lost, Record
    from reference_impl.context import BadContext
    from reference_impl.formats import UnknownFormat
    from walproof.log import Log, open
    from walproof.log_finder import find, scan
    from walproof.log_writer import LogWriter, append, create
    from walproof.new_log import CannotWrite

__all__ = [
    "Answer",
    "BadContext",
    "CannotWrite",
    "Log",
    "LogWriter",
    "Lost",
    "Record",
    "UnknownFormat",
    "append",
    "create",
    "find",
    "open",
    "scan",
]

_MODULES = {
    "Answer": "reference_impl.answer",
    "BadContext": "reference_impl.context",
    "CannotWrite": "walproof.new_log",
    "Log": "walproof.log",
    "LogWriter": "walproof.log_writer",
    "Lost": "reference_impl.answer",
    "Record": "reference_impl.answer",
    "UnknownFormat": "reference_impl.formats",
    "append": "walproof.log_writer",
    "create": "walproof.log_writer",
    "find": "walproof.log_finder",
    "open": "walproof.log",
    "scan": "walproof.log_finder",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
