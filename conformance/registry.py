"""Find and build the implementations under test, and report what they need."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import BUILD, declaration
from conformance.declaration import BrokenDeclaration
from conformance.process import CannotStart, Limits, OverLimit, Timeout, run_program
from reference_impl.paths import IMPORT_ROOT, PACKAGES
from reference_impl.register import registers

FOLDER = PACKAGES / "conformance" / "implementations"
BUILD_SECONDS = 1500
BUILD_MEMORY_BYTES = 16 << 30
_SCHEMA = Path(__file__).with_name("implementation.schema.json")


class ImplementationUnavailable(Exception):
    """An implementation cannot run here. The text states the reason."""


@dataclass(frozen=True)
class Implementation:
    """One implementation, as described by its ``implementation.toml`` and its schema."""

    folder: Path
    name: str
    title: str
    # Formats that the implementation reads. Empty if it reads all formats (``["*"]`` in the file).
    formats: tuple[str, ...]
    needs: tuple[str, ...]
    build: tuple[str, ...]
    inputs: tuple[str, ...]
    command_template: tuple[str, ...]
    # Directories that the implementation's processes may change in addition to ``output``.
    writes: tuple[Path, ...] = ()
    # True if the implementation is a generated parser, which lists fields and returns no answer.
    structure: bool = False
    # True if the implementation may be unavailable even in CI. Its file states the reason.
    optional: bool = False

    @property
    def output(self) -> Path:
        """Return the private directory of the build, which persists between runs."""
        return BUILD / "implementations" / self.name

    @property
    def known_failures(self) -> Path:
        """Return the path of the known failures, which are listed in a file next to the adapter."""
        return self.folder / "known-failures.json"

    @property
    def command(self) -> list[str]:
        """Return the command that starts the adapter."""
        return self._expanded(self.command_template)

    def _expanded(self, command: tuple[str, ...]) -> list[str]:
        paths = {"build": str(self.output), "here": str(self.folder), "python": sys.executable}
        return [part.format(**paths) for part in command]

    def missing(self) -> list[str]:
        """Return the required programs that are not on the PATH."""
        return [
            need.replace("|", " or ")
            for need in self.needs
            if not any(shutil.which(program) for program in need.split("|"))
        ]

    def stamp(self) -> str:
        """Return a digest of all inputs of the build."""
        digest = hashlib.sha256()
        digest.update(sys.version.encode())
        # A build depends on its location, because virtual environments and compiled kernels contain
        # absolute paths.
        digest.update(os.fsencode(self.output.resolve()))
        for path in sorted(self._inputs()):
            digest.update(os.fsencode(os.path.relpath(path, PACKAGES)) + b"\0")
            digest.update(path.read_bytes())
        return digest.hexdigest()

    def is_built(self) -> bool:
        """Return whether the last build used the current sources."""
        stamp = self.output / "stamp"
        return not self.build or (stamp.exists() and stamp.read_text() == self.stamp())

    def make(self, cancelled: threading.Event | None = None) -> None:
        """Build the implementation unless its build is current.

        Raises :class:`ImplementationUnavailable`, and ``Cancelled`` once ``cancelled`` is set.
        """
        if missing := self.missing():
            raise ImplementationUnavailable(f"{' and '.join(missing)} not found")
        if self.is_built():
            return
        self.output.mkdir(parents=True, exist_ok=True)
        log = self.output / "build.log"
        variables = {
            "WALPROOF_BUILD": str(self.output),
            "WALPROOF_ROOT": str(IMPORT_ROOT),
            "WALPROOF_ADAPTERKIT": str(PACKAGES / "conformance" / "adapterkit"),
            "WALPROOF_PYTHON": sys.executable,
        }
        limits = Limits(memory_bytes=BUILD_MEMORY_BYTES)
        # The shell redirects both output streams to the log of the build.
        logged = ["/bin/sh", "-c", 'exec "$@" >"$0" 2>&1', str(log), *self._expanded(self.build)]
        try:
            done = run_program(
                logged, BUILD_SECONDS, variables=variables, limits=limits, cwd=self.folder,
                cancelled=cancelled,
            )  # fmt: skip
        except Timeout:
            raise ImplementationUnavailable(f"the build took more than {BUILD_SECONDS} s") from None
        except (CannotStart, OverLimit) as error:
            raise ImplementationUnavailable(f"the build failed: {error}") from None
        if done.returncode != 0:
            lines = log.read_text(errors="replace").strip().splitlines() or ["no output"]
            # Prefer a line that begins with an error, because a stack trace may follow it.
            errors = [line for line in lines if line.startswith("error")]
            shown = log.relative_to(PACKAGES) if log.is_relative_to(PACKAGES) else log
            reason = (errors or lines)[-1].strip()[:200]
            raise ImplementationUnavailable(f"the build failed: {reason} (see {shown})")
        (self.output / "stamp").write_text(self.stamp())

    def _inputs(self) -> Iterator[Path]:
        for root in (self.folder, *(self.folder / path for path in self.inputs)):
            root = root.resolve()
            paths = root.rglob("*") if root.is_dir() else [root]
            for path in paths:
                if (
                    path.is_file()
                    and "__pycache__" not in path.parts
                    and path.name not in ("known-failures.json", "README.md")
                ):
                    yield path


def declared(folder: Path) -> dict[str, Any]:
    """Return the contents of an ``implementation.toml``. Raises the errors of :func:`load`."""
    path = folder / "implementation.toml"
    body = declaration.read(path, _SCHEMA)
    if body["name"] != folder.name:
        raise BrokenDeclaration(
            f"{path}: name: expected that of the folder, found {body['name']!r}"
        )
    if body["formats"] != ["*"]:
        check_formats(path, body["formats"])
    check_command(path, [*body.get("build", ()), *body["command"]])
    return body


def check_formats(path: Path, formats: Iterable[str]) -> None:
    """Raise :class:`BrokenDeclaration` for an unknown format in the file ``path``."""
    for format_id in formats:
        if format_id not in registers():
            known = ", ".join(registers())
            problem = (
                "* must be the only format"
                if format_id == "*"
                else f"{format_id!r} is not one of {known}"
            )
            raise BrokenDeclaration(f"{path}: formats: {problem}")


def check_command(path: Path, command: Iterable[str]) -> None:
    """Raise :class:`BrokenDeclaration` for unknown braces in the file ``path``."""
    for part in command:
        try:
            part.format(build="", here="", python="")
        except (LookupError, ValueError, AttributeError):
            raise BrokenDeclaration(
                f"{path}: {part!r}: only {{build}}, {{here}} and {{python}} are replaced;"
                " other braces are doubled"
            ) from None


def load(folder: Path) -> Implementation:
    """Load one implementation from its directory.

    Raises :class:`BrokenDeclaration`, ``OSError``.
    """
    body = declared(folder)
    return Implementation(
        folder=folder,
        name=body["name"],
        title=body["title"],
        formats=() if body["formats"] == ["*"] else tuple(body["formats"]),
        needs=tuple(body.get("needs", ())),
        build=tuple(body.get("build", ())),
        inputs=tuple(body.get("inputs", ())),
        command_template=tuple(body["command"]),
        writes=tuple(folder / path for path in body.get("writes", ())),
        optional=body.get("optional", False),
        structure=body.get("profiles") == ["structure"],
    )


def all_implementations(*more: Path) -> list[Implementation]:
    """Return all implementations, the executable specification first and the others by name.

    ``more`` are additional directories of implementations.
    """
    loaded = [
        load(path.parent)
        for folder in (FOLDER, *more)
        for path in sorted(folder.glob("*/implementation.toml"))
    ]
    return sorted(loaded, key=lambda item: (item.name != "executable-spec", item.name))
