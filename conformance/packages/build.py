"""Build the published packages of the vectors: ``python -m conformance.packages.build``.

The result is a tarball with a manifest, and a package for each ecosystem in ``ecosystems.toml``.
Each package contains the vectors, a loader, and an example test. Packages without an installed
toolchain are left out. Nothing is uploaded.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from conformance import VECTORS
from conformance.packages import index
from conformance.saving import save
from conformance.templates import environment

HERE = Path(__file__).resolve().parent
TEMPLATES = environment(HERE)
OUT = Path("build") / "packages"
#: The file that lists all files of the set, because a program cannot list the files in a jar.
LISTING = "files.txt"
#: The file that lists the vectors that the reader of the example tests fails, one id per line.
KNOWN_FAILURES = "known-failures.txt"
#: All packed files have this date, so that archives are reproducible.
PACKED_AT_EPOCH_SECONDS = "1577836800"


@dataclass(frozen=True)
class Ecosystem:
    """A package registry, as ``ecosystems.toml`` describes it; ``id`` is the folder of sources."""

    id: str
    title: str
    name: str
    usage: str
    vectors: str
    example: str
    test: tuple[str, ...]
    pack: tuple[str, ...] = ()
    archive: str = ""

    def is_installed(self) -> bool:
        """Return whether the toolchain is installed."""
        return shutil.which(self.test[0]) is not None


class PackFailed(Exception):
    """A tool of an ecosystem failed; the text is its output."""


def load_ecosystems() -> dict[str, Ecosystem]:
    """Return the ecosystems by id."""
    text = (HERE / "ecosystems.toml").read_text("utf-8")
    tables = tomllib.loads(text.replace("{python}", sys.executable))
    return {id: Ecosystem(id, **table) for id, table in tables.items()}


def contents(vectors: Path = VECTORS) -> dict[str, bytes]:
    """Return every file of the set by name, with a fresh index."""
    files = {
        path.relative_to(vectors).as_posix(): path.read_bytes() for path in index.files_of(vectors)
    }
    return dict(sorted((files | {index.NAME: index.index_of(vectors)}).items()))


def manifest(files: Mapping[str, bytes]) -> bytes:
    """Return the size and SHA-256 of each file, as JSON with one file per line."""
    rows = ",\n".join(
        f" {json.dumps(name)}: "
        + json.dumps({"size": len(data), "sha256": hashlib.sha256(data).hexdigest()})
        for name, data in sorted(files.items())
    )
    return f"{{\n{rows}\n}}\n".encode()


def tarball(files: Mapping[str, bytes], top: str) -> bytes:
    """Return a .tar.gz with the sorted files in a folder ``top``, without times and owners."""
    raw = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, data in sorted({**files, "MANIFEST.json": manifest(files)}.items()):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    return raw.getvalue()


def write_package(ecosystem: Ecosystem, files: Mapping[str, bytes], folder: Path) -> None:
    """Write the sources of a package, with the vectors in it, to a new folder."""
    shutil.rmtree(folder, ignore_errors=True)
    # Do not copy file times. Otherwise, Cargo would reuse the build of an earlier copy, which
    # contains the path of that copy.
    shutil.copytree(
        HERE / ecosystem.id, folder, ignore=shutil.ignore_patterns("__pycache__"),
        copy_function=shutil.copyfile,
    )  # fmt: skip
    body = json.loads(files[index.NAME])
    count = f"{body['counts']['vectors']:,}"
    context = {"ecosystem": ecosystem, "version": body["version"], "count": count}
    shutil.copy(HERE / "README.md.j2", folder)
    shutil.copy(HERE / KNOWN_FAILURES, folder)
    shutil.copy(VECTORS / "LICENSE", folder)
    for template in sorted(folder.rglob("*.j2")):
        text = TEMPLATES.from_string(template.read_text("utf-8")).render(context)
        save(template.with_suffix(""), text, sync=False)
        template.unlink()
    listing = "".join(f"{name}\n" for name in files).encode()
    for name, data in {**files, LISTING: listing}.items():
        path = folder / ecosystem.vectors / name
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, data, sync=False)


def pack(ecosystem: Ecosystem, folder: Path) -> list[Path]:
    """Pack a package with its ecosystem's tool; return the archives. Raises :class:`PackFailed`."""
    if not ecosystem.pack:
        return []
    done = subprocess.run(
        ecosystem.pack, cwd=folder, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": PACKED_AT_EPOCH_SECONDS},
    )  # fmt: skip
    if done.returncode:
        raise PackFailed((done.stderr or done.stdout).strip())
    return sorted(folder.glob(ecosystem.archive))


def main(arguments: list[str]) -> int:
    """Build everything; return 1 if an installed tool fails."""
    ecosystems = load_ecosystems()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--only", action="append", choices=list(ecosystems))
    options = parser.parse_args(arguments)
    files = contents()
    top = f"walproof-vectors-{json.loads(files[index.NAME])['version']}"
    options.out.mkdir(parents=True, exist_ok=True)
    archive = tarball(files, top)
    save(options.out / f"{top}.tar.gz", archive)
    print(f"{options.out / top}.tar.gz  sha256 {hashlib.sha256(archive).hexdigest()}")
    failed = False
    for ecosystem in (ecosystems[id] for id in options.only or ecosystems):
        folder = options.out / ecosystem.id
        write_package(ecosystem, files, folder)
        if not ecosystem.is_installed():
            print(f"{folder}  not packed: {ecosystem.test[0]} is not installed")
            continue
        try:
            print(folder, *pack(ecosystem, folder), sep="\n  ")
        except PackFailed as error:
            failed = True
            print(f"{folder}  not packed: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
