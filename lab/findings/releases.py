"""Releases of packages, and the commands that install one and run the script of a finding on it.

The commands are those of the page of the finding. A release is installed in a folder of
``.build/findings``, together with the script.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import BUILD
from conformance.process import CannotStart, Limits, OverLimit, Timeout, run_program
from conformance.saving import save
from lab.findings.record import Finding

#: For a script; each has a shorter limit of its own for what may hang.
SCRIPT_SECONDS = 120
INSTALL_SECONDS = 900
LIMITS = Limits(memory_bytes=4 << 30)
#: What the environment of a user need not have; an empty variable is as good as none.
VARIABLES = {"PYTHONPATH": "", "PIP_ONLY_BINARY": ":all:"}
POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>repro</groupId><artifactId>repro</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version></dependency>
  </dependencies>
</project>
"""
JOURNALCTL, JOURNALD = "usr/bin/journalctl", "usr/lib/systemd/systemd-journald"
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


class Unavailable(Exception):
    """A release cannot be run here; the text says why."""


@dataclass(frozen=True)
class Commands:
    """Lines of shell: ``install`` prepares an empty folder, ``run`` runs the script in it."""

    install: str
    run: str


def commands(finding: Finding, tried: Mapping[str, Any]) -> Commands:
    """Return the commands for a release of a record. Raises ``ValueError`` for an unknown kind."""
    how, version, script = finding.body["reproduction"], tried["version"], finding.script.name
    package, also = how["package"], how.get("also", [])
    match finding.kind:
        case "python":
            python = f"python{tried.get('python', '3')}"
            packages = " ".join([f"{package}=={version}", *also])
            return Commands(
                f"{python} -m venv venv\nvenv/bin/pip install {packages}",
                f"venv/bin/python {script}",
            )
        case "go":
            return Commands(f"go mod init repro\ngo get {package}@{version}", f"go run {script}")
        case "java":
            group, artifact = package.split(":")
            pom = POM.format(group=group, artifact=artifact, version=version)
            options = "".join(f"{option} " for option in how.get("options", []))
            return Commands(
                f"cat > pom.xml <<'END'\n{pom}END\n"
                "mvn -q dependency:copy-dependencies -DoutputDirectory=lib -DincludeScope=runtime",
                f"java {options}-cp 'lib/*' {script}",
            )
        case "node":
            packages = " ".join([f"{package}@{version}", *also])
            return Commands(f"npm install --ignore-scripts {packages}", f"node {script}")
        case "rust":
            packages = " ".join([f"{package}@={version}", *also])
            return Commands(
                f"cargo init --name repro\ncargo add {packages}",
                f"cp {script} src/main.rs\ncargo run --release",
            )
        case "journalctl" | "journald":
            return Commands(f"journalctl --version    # {package} {version}", f"python3 {script}")
    raise ValueError(f"{finding.id}: how to run a script of the kind {finding.kind} is not known")


@dataclass(frozen=True)
class Release:
    """A release on which the script of a finding was run, as the record names it."""

    finding: Finding
    tried: Mapping[str, Any]

    @property
    def folder(self) -> Path:
        """The folder in which the release is installed."""
        parts = [self.tried[key] for key in ("version", "python", "java") if key in self.tried]
        return BUILD / "findings" / self.finding.id / "-".join(parts)

    @property
    def is_installed(self) -> bool:
        """Whether its folder was prepared, by the commands of today."""
        stamp = self.folder / "stamp"
        return stamp.exists() and stamp.read_text("utf-8") == self._commands.install

    @property
    def _commands(self) -> Commands:
        return commands(self.finding, self.tried)

    def install(self) -> None:
        """Install the release, unless it is installed, and run its script once.

        What a language compiles at the first run takes long. Raises :class:`Unavailable`.
        """
        if self.is_installed:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "bin").mkdir(parents=True)
        if self.finding.kind in ("journalctl", "journald"):
            self._link_systemd()
        self._shell(self._commands.install, INSTALL_SECONDS)
        self._run_script(INSTALL_SECONDS)
        save(self.folder / "stamp", self._commands.install)

    def run(self) -> str:
        """Return what the script prints. Raises :class:`Unavailable`."""
        return self._run_script(SCRIPT_SECONDS)

    def _run_script(self, seconds: int) -> str:
        save(self.folder / self.finding.script.name, self.finding.script.read_text("utf-8"))
        return self._shell(self._commands.run, seconds)

    def _shell(self, lines: str, seconds: int) -> str:
        path = [str(self.folder / "bin"), os.environ["PATH"]]
        if "java" in self.tried:
            path.insert(0, str(_java_folder(int(self.tried["java"]))))
        variables = {**VARIABLES, "PATH": os.pathsep.join(path)}
        command = ["sh", "-c", f'cd "$1" && set -e\n{lines}', "sh", str(self.folder)]
        try:
            done = run_program(command, seconds, variables=variables, limits=LIMITS)
        except (CannotStart, Timeout, OverLimit) as error:
            raise Unavailable(str(error)) from None
        if done.returncode:
            printed = _ESCAPES.sub("", done.stderr or done.stdout).strip().splitlines()
            last = printed[-1] if printed else f"exit status {done.returncode}"
            reason = next((line for line in printed if "ERROR" in line), last)
            raise Unavailable(f"the commands of its page failed: {reason[:300]}")
        return done.stdout

    def _link_systemd(self) -> None:
        """Link the programs of a release that an implementation here has unpacked."""
        if self.finding.kind == "journald":
            if os.geteuid():
                raise Unavailable("a daemon gets folders of its own, which only root may give it")
            for program in ("unshare", "strace"):
                if shutil.which(program) is None:
                    raise Unavailable(f"{program} was not found")
            self._link(JOURNALD, "/lib/systemd/systemd-journald")
        self._link(JOURNALCTL, shutil.which("journalctl"))

    def _link(self, program: str, installed: str | None) -> None:
        """Write a command that starts a program of the release, with the libraries beside it."""
        package, version = self.finding.body["reproduction"]["package"], self.tried["version"]
        for name in (f"{package}-{version}", package):
            root = BUILD / "implementations" / name / "root"
            if (root / program).exists():
                (loader,) = root.glob("usr/lib/*/ld-linux*.so.*")
                libraries = f"{loader.parent}:{loader.parent / package}"
                call = f'"{loader}" --library-path "{libraries}" "{root}/{program}"'
                break
        else:
            if (
                installed is None
                or shutil.which("journalctl") is None
                or f" {version} " not in self._shell("journalctl --version", SCRIPT_SECONDS)
            ):
                raise Unavailable(f"release {version} is not unpacked here (make setup)")
            call = f'"{installed}"'
        shim = self.folder / "bin" / Path(program).name
        save(shim, f'#!/bin/sh\nexec {call} "$@"\n')
        shim.chmod(0o755)


def releases(findings: Sequence[Finding]) -> list[Release]:
    """Return every release on which the scripts were run."""
    return [Release(finding, tried) for finding in findings for tried in finding.run_on]


def _java_folder(least: int) -> Path:
    """Return the programs of a Java that an implementation here brought."""
    for java in BUILD.glob("implementations/*/jdk/bin/java"):
        released = (java.parents[1] / "release").read_text("utf-8")
        found = re.search(r'^JAVA_VERSION="(\d+)', released, re.MULTILINE)
        if found and int(found[1]) >= least:
            return java.parent
    raise Unavailable(f"Java {least} or later was not found (make setup)")
