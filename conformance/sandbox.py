"""Run programs under test in a sandbox: bubblewrap, if it is installed and allowed.

A program in the sandbox has no network access. It sees neither other processes nor the expected
answers, and can change only its own directory. Without bubblewrap, the report states that the
program was not isolated.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from pathlib import Path

from conformance import REPORTS, ROOT, VECTORS

PROBE_SECONDS = 10
_ALONE = ("--unshare-all", "--cap-drop", "ALL", "--die-with-parent")
SYSTEM = tuple(
    Path(name)
    for name in (
        "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix/store",
        "/gnu/store", "/sys",
    )
)  # fmt: skip
_VARIABLES = """
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
# Programs need these variables to start and run. The list contains whole names, not patterns, so
# that no access token is passed.
PASSED_VARIABLES = frozenset(_VARIABLES.split())
PASSED_PREFIXES = ("LC_", "WALPROOF_")

# ``by`` lists the means that isolated the programs of a run. ``could`` lists the remaining risks.
Isolation = dict[str, list[str]]


@functools.cache
def bubblewrap() -> str | None:
    """Return the path of ``bwrap``, or None if it is missing or cannot create namespaces."""
    program = shutil.which("bwrap")
    if program is None or sys.platform != "linux":
        return None
    probe = [program, *_ALONE, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"]
    try:
        works = subprocess.run(probe, capture_output=True, timeout=PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return program if works.returncode == 0 else None


class Sandbox:
    """The sandbox of one program, with a working directory for its processes.

    The processes start in ``work``. They can change only ``folder`` and ``writes``. They can read
    only ``reads``, or everything except ``hides`` if ``reads`` is None. If ``bare`` is true, they
    get no environment variables.
    """

    def __init__(
        self,
        folder: Path,
        *,
        reads: Iterable[Path] | None = None,
        hides: Iterable[Path] = (),
        writes: Iterable[Path] = (),
        work: Path | None = None,
        bare: bool = False,
    ) -> None:
        self.folder = folder.resolve()
        self.reads = None if reads is None else [path.absolute() for path in reads]
        self.work, self.temporary = work or self.folder / "work", self.folder / "tmp"
        for path in (self.work, self.temporary):
            path.mkdir(parents=True, exist_ok=True)
        self.writes = existing([self.folder, *writes])
        # A path is not hidden if it is writable or contains a writable path.
        self.hides = [
            path
            for path in existing(hides)
            if not any(path == write or path in write.parents for write in self.writes)
        ]
        self.bare = bare
        self.bwrap = bubblewrap()

    def wrapped(self, command: Sequence[str], info: int) -> list[str]:
        """Return the command that starts ``command`` in this sandbox.

        bubblewrap writes the PID of its first process as JSON to the file descriptor ``info``.
        """
        if self.bwrap is None:
            return [*command]
        argv = [self.bwrap, *_ALONE, "--info-fd", str(info)]
        argv += ["--ro-bind", "/", "/"] if self.reads is None else self._read_binds(self.reads)
        argv += ["--dev", "/dev", "--proc", "/proc"]
        for path in self.hides:
            argv += ["--tmpfs", str(path)] if path.is_dir() else _bind("/dev/null", path)
        for path in self.writes:
            argv += ["--bind", str(path), str(path)]
        return [*argv, "--chdir", str(self.work), "--", *command]

    def _read_binds(self, reads: Iterable[Path]) -> list[str]:
        bound = [path for path in SYSTEM if path.exists()]
        argv = [word for path in bound for word in _bind(path, path)]
        for path in (name for read in reads for name in (read.resolve(), read)):
            covered = any(path == other or other in path.parents for other in bound)
            if path.exists() and not covered:
                argv += _bind(path, path)
                bound.append(path)
        return argv

    def isolation(self) -> Isolation:
        """Return the isolation methods of this sandbox, and the remaining risks."""
        if self.bwrap is not None:
            return _SANDBOXED
        bounded = [] if self.reads is None else ["read your files"]
        return {"by": ["own folder"], "could": bounded + _possible(self.hides)}

    def absolute_command(self, command: Sequence[str]) -> list[str]:
        """Return a command in which the paths of files in the working directory are absolute.

        This includes paths after ``=`` and in lists such as ``classes:lib/*``. A Java command also
        gets an option that sets the directory for temporary files.
        """
        program, *argv = command
        path = shutil.which(program)
        if path is not None and not path.startswith(os.sep):
            program = os.path.abspath(path)  # noqa: PTH100 - a link keeps its name
        argv = [_absolute_word(word) for word in argv]
        # Java ignores the variables that set the directory for temporary files.
        if Path(program).name == "java":
            argv.insert(0, f"-Djava.io.tmpdir={self.temporary}")
        return [program, *argv]

    def environment(self, command: Sequence[str]) -> dict[str, str]:
        """Return the environment of a program under test, with a directory for temporary files."""
        temporary = dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(self.temporary))
        if self.bare:
            return {"PATH": os.defpath, "LANG": "C.UTF-8", "HOME": str(self.temporary)} | temporary
        names_checkout = any(str(ROOT) in word for word in command)
        passed = {
            name: value
            for name, value in os.environ.items()
            if (name in PASSED_VARIABLES or name.startswith(PASSED_PREFIXES))
            and (name == "PATH" or names_checkout or str(ROOT) not in value)
        }
        return passed | temporary


def _bind(source: Path | str, target: Path) -> list[str]:
    return ["--ro-bind", str(source), str(target)]


def _absolute_word(word: str) -> str:
    name, equals, value = word.rpartition("=")
    if equals and not word.startswith(os.sep):
        return name + equals + _absolute_list(value)
    return _absolute_list(word)


def _absolute_list(word: str) -> str:
    return os.pathsep.join(_absolute_path(part) for part in word.split(os.pathsep))


def _absolute_path(word: str) -> str:
    if not word or word.startswith((os.sep, "-")):
        return word
    named = Path(word.removesuffix("*"))
    is_named = named.exists() if os.sep in word else named.is_file()
    # Links are not resolved, because a program may read other files in the directory of a link.
    return os.path.abspath(word) if is_named else word  # noqa: PTH100


def existing(paths: Iterable[Path]) -> list[Path]:
    """Return the paths that exist, resolved, without duplicates or paths below another."""
    resolved = sorted({path.resolve() for path in paths if path.exists()})
    return [path for path in resolved if not any(other in path.parents for other in resolved)]


def python_paths() -> list[Path]:
    """Return the paths that must be readable to run Python with the installed packages."""
    libraries = [sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")]
    folders = [sys.prefix, sys.base_prefix, *libraries]
    return [*map(Path, folders), Path(sys.executable).resolve().parent]


def evidence() -> list[Path]:
    """Return the paths that contain the expected answers."""
    return [VECTORS, *_git_folders(ROOT / ".git"), REPORTS.absolute()]


def _git_folders(git: Path) -> list[Path]:
    """Return the git directories, because their history holds the vectors."""
    if not git.is_file():
        return [git]
    target = git.read_text(errors="replace").removeprefix("gitdir:").strip()
    first = next((path for path in Path(target).parents if path.name == ".git"), None)
    return [git] if first is None else [git, first]


def isolation(isolated: bool) -> Isolation:
    """Return the isolation of programs under test. ``isolated`` is false for --no-isolation."""
    if isolated and bubblewrap() is not None:
        return _SANDBOXED
    return {
        "by": ["own folder" if isolated else "scratch copies"],
        "could": _possible(existing(evidence())),
    }


_SANDBOXED: Isolation = {"by": ["own folder", "bubblewrap"], "could": []}


def _possible(hides: Iterable[Path]) -> list[str]:
    names = dict.fromkeys(f"{path.name}/" if path.is_dir() else path.name for path in hides)
    see = [f"see {', '.join(names)}"] if names else []
    return [*see, "change your files", "use the network", "end your processes"]


def isolation_lines(isolation: Isolation) -> list[str]:
    """Return the one or two lines at the end of a run."""
    lines = [f"isolation: {', '.join(isolation['by'])}"]
    if isolation["could"]:
        lines.append(f"not isolated: a program could {'; '.join(isolation['could'])}")
    return lines
