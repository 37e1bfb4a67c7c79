"""Follow the steps of the reports for each release that a finding names, in ``.build/findings``."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import BUILD
from conformance.process import CannotStart, Limits, OverLimit, Timeout, run_program
from conformance.saving import save
from lab.findings.record import ReleaseFinding, UpstreamReport

SCRIPT_SECONDS = 120
INSTALL_SECONDS = 900
LIMITS = Limits(memory_bytes=4 << 30)
#: The steps run with these environment variables. An empty PYTHONPATH acts like an unset one.
VARIABLES = {"PYTHONPATH": ""}
#: Commands with this prefix install system packages. They are left to the user.
NOT_RUN = "sudo "
#: Programs from an unpacked package that the steps may call.
PROGRAMS = ("usr/bin/journalctl", "usr/lib/systemd/systemd-journal-remote")
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


class ReleaseUnavailable(Exception):
    """A release cannot be run here; the message gives the reason."""


@dataclass(frozen=True)
class Release:
    """A release on which to follow the steps of a report, and its entry in the finding's record."""

    finding: ReleaseFinding
    tried: Mapping[str, Any]

    @property
    def folder(self) -> Path:
        """The folder in which the release is installed."""
        return BUILD / "findings" / self.finding.id / str(self.tried["version"])

    @property
    def report(self) -> UpstreamReport:
        """The report with this release's version and the replacements that its entry lists."""
        text = self.finding.report.text
        latest = self.finding.body["tried"][0]["version"]
        for old, new in {latest: self.tried["version"], **self.tried.get("replace", {})}.items():
            text = text.replace(old, new)
        return UpstreamReport(self.finding.report.path, text)

    @property
    def commands(self) -> list[str]:
        """The report's commands for this release, except those that need sudo."""
        return [each for each in self.report.commands if not each.startswith(NOT_RUN)]

    @property
    def is_installed(self) -> bool:
        """True if the release is installed by the current steps of the report."""
        stamp = self.folder / "stamp"
        return stamp.exists() and stamp.read_text("utf-8") == self._steps

    def install(self) -> None:
        """Follow the steps of the report in an empty folder, unless the release is installed.

        The last step is run once, because it also compiles. Raises :class:`ReleaseUnavailable`.
        """
        if self.is_installed:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "bin").mkdir(parents=True)
        if "programs" in self.tried:
            self._link_programs(BUILD / "implementations" / self.tried["programs"] / "root")
        for name, text in self.report.files.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            save(path, text)
        *install, run = self.commands
        done = self._shell("\n".join(install), INSTALL_SECONDS)
        if done.returncode:
            raise ReleaseUnavailable(f"the commands of its report failed: {_reason(done)}")
        self._shell(run, INSTALL_SECONDS)
        save(self.folder / "stamp", self._steps)

    def run(self) -> subprocess.CompletedProcess[str]:
        """Follow the last step again. Raises :class:`ReleaseUnavailable`."""
        return self._shell(self.commands[-1], SCRIPT_SECONDS)

    @property
    def _steps(self) -> str:
        return "\n".join([*self.report.files.values(), *self.commands])

    def _shell(self, lines: str, seconds: int) -> subprocess.CompletedProcess[str]:
        path = [str(self.folder / "bin"), os.environ["PATH"]]
        if "java" in self.tried:
            path.insert(0, str(_java_folder(int(self.tried["java"]))))
        variables = {**VARIABLES, "PATH": os.pathsep.join(path)}
        command = ["sh", "-c", f'cd "$1" && set -e\n{lines}', "sh", str(self.folder)]
        try:
            return run_program(command, seconds, variables=variables, limits=LIMITS)
        except (CannotStart, Timeout, OverLimit) as error:
            raise ReleaseUnavailable(str(error)) from None

    def _link_programs(self, root: Path) -> None:
        """Write shims that start the programs of a package unpacked by ``make setup``."""
        if not root.exists():
            raise ReleaseUnavailable(f"{root} is not unpacked here (make setup)")
        (loader,) = root.glob("usr/lib/*/ld-linux*.so.*")
        libraries = f"{loader.parent}:{loader.parent / 'systemd'}"
        for program in PROGRAMS:
            call = f'"{loader}" --library-path "{libraries}" "{root / program}"'
            shim = self.folder / "bin" / Path(program).name
            save(shim, f'#!/bin/sh\nexec {call} "$@"\n')
            shim.chmod(0o755)


def releases(findings: Sequence[ReleaseFinding]) -> list[Release]:
    """Return every release for which the steps need no manual work."""
    return [
        Release(finding, tried)
        for finding in findings
        for tried in finding.body["tried"]
        if "by_hand" not in tried
    ]


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    printed = _ESCAPES.sub("", done.stderr or done.stdout).strip().splitlines()
    last = printed[-1] if printed else f"exit status {done.returncode}"
    return next((line for line in printed if "ERROR" in line), last)[:300]


def _java_folder(least: int) -> Path:
    for java in BUILD.glob("implementations/*/jdk/bin/java"):
        released = (java.parents[1] / "release").read_text("utf-8")
        found = re.search(r'^JAVA_VERSION="(\d+)', released, re.MULTILINE)
        if found and int(found[1]) >= least:
            return java.parent
    raise ReleaseUnavailable(f"Java {least} or later was not found (make setup)")
