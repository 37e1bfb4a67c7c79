"""What runs the scripts: a place for each release of a package, made by its own package manager.

The places are folders of ``.build/findings``. One that could be made has a stamp; where a program
or a package is not to be had, the reason is raised as :class:`Unavailable`.
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import BUILD
from conformance.saving import save
from lab.findings.record import Finding

SECONDS = 120
"""For a script; each has a shorter limit of its own for what may hang."""
_FETCH_SECONDS = 900
_MEMORY = 4 << 30
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


class Unavailable(Exception):
    """A release that cannot be run here, and why."""


@dataclass(frozen=True)
class Release:
    """A release of a package, as a record names it."""

    kind: str
    package: str
    version: str
    also: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    python: str = ""
    java: str = ""

    @property
    def place(self) -> Path:
        """Its folder."""
        name = f"{self.package}@{self.version}".replace("/", "+").replace(":", "+")
        return BUILD / "findings" / self.kind / name

    @property
    def ready(self) -> bool:
        """Whether its folder is made, by the commands of today."""
        stamp = self.place / "stamp"
        return stamp.exists() and stamp.read_text("utf-8") == repr(self)


def release(finding: Finding, tried: Mapping[str, Any]) -> Release:
    """The release that a row of a record names."""
    how = finding.body["reproduction"]
    return Release(
        finding.kind,
        how["package"],
        tried["version"],
        tuple(how.get("also", ())),
        tuple(how.get("options", ())),
        tried.get("python", ""),
        tried.get("java", ""),
    )


def fetch(one: Release) -> None:
    """Make the folder of a release, unless it is there. Raises :class:`Unavailable`."""
    if one.ready:
        return
    shutil.rmtree(one.place, ignore_errors=True)
    one.place.mkdir(parents=True)
    RUNTIMES[one.kind].fetch(one)
    save(one.place / "stamp", repr(one))


def run(finding: Finding, one: Release) -> str:
    """What the script prints, in an empty folder of its own. Raises :class:`Unavailable`."""
    command = RUNTIMES[one.kind].command(one, finding)
    with tempfile.TemporaryDirectory(prefix="walproof-finding-") as folder:
        return _say(command, Path(folder), SECONDS, path=_programs(one))


def _say(command: Sequence[str], folder: Path, seconds: int, path: str = "") -> str:
    """The output of a program with a limit of time and memory; its whole family ends with it."""
    environment = os.environ | {"PATH": path or os.environ["PATH"]}
    environment.pop("PYTHONPATH", None)
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_limit_memory,
    ) as child:
        try:
            out, err = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Unavailable(f"{command[0]} did not end within {seconds} s") from None
        finally:
            _end(child.pid)
    if child.returncode != 0:
        said = _ESCAPES.sub("", (err or out).decode("utf-8", "replace")).strip().splitlines()
        word = next((line for line in said if "ERROR" in line), said[-1] if said else "no word")
        raise Unavailable(f"{Path(command[0]).name} failed: {word[:300]}")
    return out.decode("utf-8", "replace")


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))


def _end(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _needs(*programs: str) -> str:
    for program in programs:
        found = shutil.which(program)
        if found is None:
            raise Unavailable(f"{program} was not found")
    return shutil.which(programs[0]) or programs[0]


def _put(finding: Finding, path: Path) -> Path:
    """A copy of the script where its language looks for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    save(path, finding.script.read_text("utf-8"))
    return path


# Python


def _fetch_python(one: Release) -> None:
    python = _needs(f"python{one.python or '3'}")
    _say([python, "-m", "venv", "venv"], one.place, _FETCH_SECONDS)
    pip = [str(one.place / "venv" / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    wanted = [f"{one.package}=={one.version}", *one.also]
    _say([*pip, "--only-binary", ":all:", *wanted], one.place, _FETCH_SECONDS)


def _command_python(one: Release, finding: Finding) -> list[str]:
    return [str(one.place / "venv" / "bin" / "python"), str(finding.script)]


# Go


def _fetch_go(one: Release) -> None:
    go = _needs("go")
    _say([go, "mod", "init", "repro"], one.place, _FETCH_SECONDS)
    _say([go, "get", f"{one.package}@{one.version}"], one.place, _FETCH_SECONDS)
    _say([go, "build", one.package], one.place, _FETCH_SECONDS)


def _command_go(one: Release, finding: Finding) -> list[str]:
    _put(finding, one.place / finding.id / "main.go")
    return [_needs("go"), "run", "-C", str(one.place), f"./{finding.id}"]


# Java

POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>repro</groupId><artifactId>repro</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version></dependency>
  </dependencies>
</project>
"""


def pom(package: str, version: str) -> str:
    """The file by which Maven finds a release, ``group:artifact``, and all that it needs."""
    group, artifact = package.split(":")
    return POM.format(group=group, artifact=artifact, version=version)


def _fetch_java(one: Release) -> None:
    save(one.place / "pom.xml", pom(one.package, one.version))
    goal = ["dependency:copy-dependencies", "-DoutputDirectory=lib", "-DincludeScope=runtime"]
    _say([_needs("mvn"), "--quiet", "--batch-mode", *goal], one.place, _FETCH_SECONDS)


def _command_java(one: Release, finding: Finding) -> list[str]:
    return [_java(one.java), *one.options, "-cp", f"{one.place}/lib/*", str(finding.script)]


def _java(least: str) -> str:
    """That of the machine; where a newer one is needed, one that an implementation here brought."""
    if not least:
        return _needs("java")
    for java in BUILD.glob("implementations/*/jdk/bin/java"):
        released = (java.parents[1] / "release").read_text("utf-8")
        found = re.search(r'^JAVA_VERSION="(\d+)', released, re.MULTILINE)
        if found and int(found[1]) >= int(least):
            return str(java)
    raise Unavailable(f"Java {least} or later was not found (make setup)")


# JavaScript


def _fetch_node(one: Release) -> None:
    save(one.place / "package.json", "{}\n")
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    _say(
        [_needs("npm"), "install", *quiet, f"{one.package}@{one.version}", *one.also],
        one.place,
        _FETCH_SECONDS,
    )


def _command_node(one: Release, finding: Finding) -> list[str]:
    return [_needs("node"), str(_put(finding, one.place / f"{finding.id}.cjs"))]


# Rust


def _fetch_rust(one: Release) -> None:
    cargo = _needs("cargo")
    _say([cargo, "init", "--quiet", "--name", "repro", "--vcs", "none"], one.place, _FETCH_SECONDS)
    wanted = [f"{one.package}@={one.version}", *one.also]
    _say([cargo, "add", "--quiet", *wanted], one.place, _FETCH_SECONDS)
    _say([cargo, "build", "--quiet", "--release"], one.place, _FETCH_SECONDS)


def _command_rust(one: Release, finding: Finding) -> list[str]:
    _put(finding, one.place / "src" / "bin" / f"{finding.id}.rs")
    manifest = ["--manifest-path", str(one.place / "Cargo.toml")]
    return [_needs("cargo"), "run", "--quiet", "--release", *manifest, "--bin", finding.id]


# Programs that a distribution packages: an implementation here has unpacked them


def _unpacked(one: Release, program: str) -> Path:
    for name in (f"{one.package}-{one.version}", one.package):
        root = BUILD / "implementations" / name / "root"
        if (root / program).exists():
            return root
    raise Unavailable(f"release {one.version} is not unpacked here (make setup)")


def _fetch_program(one: Release) -> None:
    """journalctl of a release."""
    (one.place / "bin").mkdir()
    _put_program(one, "usr/bin/journalctl", shutil.which("journalctl"))


def _fetch_daemon(one: Release) -> None:
    """journald of a release, and journalctl."""
    _may_start_daemons()
    _fetch_program(one)
    _put_program(one, "usr/lib/systemd/systemd-journald", "/lib/systemd/systemd-journald")


def _put_program(one: Release, program: str, here: str | None) -> None:
    """A command of the release's own: its loader and its libraries, or that of this machine."""
    try:
        root = _unpacked(one, program)
        (loader,) = root.glob("usr/lib/*/ld-linux*.so.*")
        libraries = f"{loader.parent}:{loader.parent / one.package}"
        call = f'exec "{loader}" --library-path "{libraries}" "{root}/{program}" "$@"'
    except Unavailable:
        told = shutil.which("journalctl")
        if here is None or told is None or not Path(here).exists():
            raise
        if f" {one.version} " not in _say([told, "--version"], one.place, SECONDS):
            raise
        call = f'exec "{here}" "$@"'
    shim = one.place / "bin" / Path(program).name
    save(shim, f"#!/bin/sh\n{call}\n")
    shim.chmod(0o755)


def _command_program(one: Release, finding: Finding) -> list[str]:
    return [_needs("python3"), str(finding.script)]


def _command_daemon(one: Release, finding: Finding) -> list[str]:
    _may_start_daemons()
    return _command_program(one, finding)


def _may_start_daemons() -> None:
    """Raises :class:`Unavailable`."""
    if os.geteuid():
        raise Unavailable("a daemon gets folders of its own, which only root may give it")
    for program in ("unshare", "strace"):
        _needs(program)


def _programs(one: Release) -> str:
    """Where programs are looked for: first those of the release."""
    return f"{one.place / 'bin'}{os.pathsep}{os.environ['PATH']}"


@dataclass(frozen=True)
class Runtime:
    """How a release is fetched, and how a script is started on it."""

    fetch: Callable[[Release], None]
    command: Callable[[Release, Finding], list[str]]


RUNTIMES = {
    "python": Runtime(_fetch_python, _command_python),
    "go": Runtime(_fetch_go, _command_go),
    "java": Runtime(_fetch_java, _command_java),
    "node": Runtime(_fetch_node, _command_node),
    "rust": Runtime(_fetch_rust, _command_rust),
    "journalctl": Runtime(_fetch_program, _command_program),
    "journald": Runtime(_fetch_daemon, _command_daemon),
}
"""By the kind that a record names."""
