"""What a program in a box sees of the caller's environment, and how its command is told to it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

_KEPT = """
    PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TZDIR TERM NO_COLOR XDG_CACHE_HOME XDG_DATA_HOME
    LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH MALLOC_ARENA_MAX OMP_NUM_THREADS
    ASAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS UBSAN_OPTIONS
    JAVA_HOME JDK_HOME CLASSPATH JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS DOTNET_ROOT ERL_LIBS
    PYTHONPATH PYTHONHOME PYTHONHASHSEED PYTHONUTF8 PYTHONIOENCODING PYTHONUNBUFFERED
    PYENV_ROOT PYENV_VERSION VIRTUAL_ENV CONDA_PREFIX NUMBA_CACHE_DIR NUMBA_NUM_THREADS
    NODE_PATH NODE_OPTIONS NVM_DIR VOLTA_HOME GOROOT GOPATH GODEBUG GOGC GOMAXPROCS GOMEMLIMIT
    GOTRACEBACK CARGO_HOME RUSTUP_HOME RUST_BACKTRACE RUST_LOG GEM_HOME GEM_PATH RUBYLIB RUBYOPT
    PERL5LIB PERL5OPT LUA_PATH LUA_CPATH PHPRC
"""
KEPT = frozenset(_KEPT.split())
"""What programs need to be found and to run: names, not patterns, lest a token comes along."""
KEPT_BEGINNINGS = ("LC_", "WALPROOF_")


def environment(
    own: Mapping[str, str], folder: Path, command: Sequence[str], checkout: Path
) -> dict[str, str]:
    """The environment of a program in a box: what is kept, and a folder for temporary files.

    A variable that names the checkout is left out, unless the command itself is there.
    """
    names_it = any(str(checkout) in word for word in command)
    found = {
        name: value
        for name, value in own.items()
        if (name in KEPT or name.startswith(KEPT_BEGINNINGS))
        and (name == "PATH" or names_it or str(checkout) not in value)
    }
    return found | dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(folder))


def from_anywhere(command: Sequence[str], folder: Path) -> list[str]:
    """The command with the files of the current folder named from the root of the file system.

    That is a word with a slash that names something, a word that names a file, the like behind
    ``=``, and each part of a list such as ``classes:lib/*``. ``folder`` is for temporary files: a
    Java machine must be told, which looks at no variable.
    """
    program, *words = command
    found = shutil.which(program)
    if found is not None and not found.startswith(os.sep):
        program = os.path.abspath(found)  # noqa: PTH100 - a link stays the name it is called by
    words = [_from_anywhere(word) for word in words]
    if Path(program).name == "java":
        words.insert(0, f"-Djava.io.tmpdir={folder}")
    return [program, *words]


def _from_anywhere(word: str) -> str:
    name, equals, value = word.rpartition("=")
    if equals and not word.startswith(os.sep):
        return name + equals + _each_from_anywhere(value)
    return _each_from_anywhere(word)


def _each_from_anywhere(word: str) -> str:
    return os.pathsep.join(_place(part) for part in word.split(os.pathsep))


def _place(word: str) -> str:
    if not word or word.startswith((os.sep, "-")):
        return word
    named = Path(word.removesuffix("*"))
    is_named = named.exists() if os.sep in word else named.is_file()
    # Not resolved: a link may stand in a folder whose other files are read.
    return os.path.abspath(word) if is_named else word  # noqa: PTH100


def existing(paths: Iterable[Path]) -> list[Path]:
    """Those that are there, resolved, and none twice or below another."""
    found = sorted({path.resolve() for path in paths if path.exists()})
    return [path for path in found if not any(other in path.parents for other in found)]
