"""``python -m conformance.packages.build``: what is published of the vectors, into a folder.

A tarball with a manifest, the same bytes whoever makes it, and a package for each ecosystem, whose
archive is made where its toolchain is. Nothing is published.
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
from pathlib import Path
from typing import Any

from conformance import VECTORS
from conformance.packages import index
from conformance.packages.ecosystems import ECOSYSTEMS, Ecosystem
from conformance.saving import save
from conformance.templates import environment

HERE = Path(__file__).resolve().parent
TEMPLATES = environment(HERE)
OUT = Path("build") / "packages"
LISTED = "files.txt"
"""Where a package cannot be asked what is in it, as a jar: the names of all files."""


class DidNotPack(Exception):
    """A tool of an ecosystem failed; the text is what it said."""


def names() -> Mapping[str, str]:
    """What the packages are called."""
    return dict(tomllib.loads((HERE / "names.toml").read_text("utf-8")))


def contents(vectors: Path = VECTORS) -> dict[str, bytes]:
    """Every file of the set by name, and its index, which is made anew."""
    files = {
        path.relative_to(vectors).as_posix(): path.read_bytes() for path in index.files_of(vectors)
    }
    return dict(sorted((files | {index.NAME: index.index_of(vectors)}).items()))


def manifest(files: Mapping[str, bytes]) -> bytes:
    """Size and SHA-256 of each file, as JSON, a file a line."""
    rows = ",\n".join(
        f" {json.dumps(name)}: "
        + json.dumps({"size": len(data), "sha256": hashlib.sha256(data).hexdigest()})
        for name, data in sorted(files.items())
    )
    return f"{{\n{rows}\n}}\n".encode()


def tarball(files: Mapping[str, bytes], top: str) -> bytes:
    """A .tar.gz below a folder ``top``: names in order, no times, no owners."""
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


def said_of(ecosystem: Ecosystem, files: Mapping[str, bytes]) -> dict[str, Any]:
    """What the templates of a package are told."""
    body = json.loads(files[index.NAME])
    said = {
        "names": names(),
        "version": body["version"],
        "count": f"{body['counts']['vectors']:,}",
        "title": ecosystem.title,
        "language": ecosystem.language,
        "example": ecosystem.example.format(**names()),
        "runs": "",
    }
    if ecosystem.runs:
        template = f"demonstrations/{ecosystem.id}/{ecosystem.runs}"
        said["runs"] = TEMPLATES.get_template(template).render(said).strip()
    return said


def render(source: Path, folder: Path, said: Mapping[str, Any]) -> None:
    """Copy the files below a folder, of which those that end in .j2 are templates."""
    for path in sorted(path for path in source.rglob("*") if path.is_file()):
        if "__pycache__" in path.parts:
            continue
        target = folder / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".j2":
            template = TEMPLATES.get_template(path.relative_to(HERE).as_posix())
            save(target.with_suffix(""), template.render(said), sync=False)
        else:
            shutil.copy(path, target)


def package(ecosystem: Ecosystem, files: Mapping[str, bytes], folder: Path) -> None:
    """The sources of a package, with the vectors in it, in a folder of its own made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    said = said_of(ecosystem, files)
    render(HERE / ecosystem.id, folder, said)
    save(folder / "README.md", TEMPLATES.get_template("README.md.j2").render(said), sync=False)
    if ecosystem.runs:
        shutil.copy(HERE / "RUNNERS.md", folder / "RUNNERS.md")
    shutil.copy(VECTORS / "LICENSE", folder / "LICENSE")
    inside = {**files, LISTED: "".join(f"{name}\n" for name in files).encode()}
    for name, data in inside.items():
        path = folder / ecosystem.data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, data, sync=False)


def pack(ecosystem: Ecosystem, folder: Path) -> list[Path]:
    """What its tool makes of a package for publishing. Raises :class:`DidNotPack`."""
    if not ecosystem.pack:
        return []
    done = subprocess.run(
        ecosystem.pack, cwd=folder, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": "1577836800"},
    )  # fmt: skip
    if done.returncode:
        raise DidNotPack((done.stderr or done.stdout).strip())
    return sorted(folder.glob(ecosystem.made))


def main(arguments: list[str]) -> int:
    """Build everything; 1 if a tool that is here fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--only", action="append", choices=list(ECOSYSTEMS))
    chosen = parser.parse_args(arguments)
    files = contents()
    top = f"walproof-vectors-{json.loads(files[index.NAME])['version']}"
    chosen.out.mkdir(parents=True, exist_ok=True)
    data = tarball(files, top)
    save(chosen.out / f"{top}.tar.gz", data)
    print(f"{chosen.out / top}.tar.gz  sha256 {hashlib.sha256(data).hexdigest()}")
    failed = False
    for ecosystem in (ECOSYSTEMS[one] for one in chosen.only or ECOSYSTEMS):
        folder = chosen.out / ecosystem.id
        package(ecosystem, files, folder)
        if not ecosystem.is_here():
            print(f"{folder}  not packed: {ecosystem.test[0]} is not here")
            continue
        try:
            print(folder, *pack(ecosystem, folder), sep="\n  ")
        except DidNotPack as error:
            failed = True
            print(f"{folder}  not packed: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
