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

import jinja2

from conformance import VECTORS
from conformance.packages import index
from conformance.packages.ecosystems import ECOSYSTEMS, Ecosystem
from conformance.saving import save

HERE = Path(__file__).resolve().parent
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


def package(ecosystem: Ecosystem, files: Mapping[str, bytes], folder: Path) -> None:
    """The sources of a package, with the vectors in it, in a folder of its own made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    body = json.loads(files[index.NAME])
    called = names()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE), undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )  # fmt: skip
    said = {
        "names": called,
        "version": body["version"],
        "count": f"{body['counts']['vectors']:,}",
        "title": ecosystem.title,
        "language": ecosystem.language,
        "example": ecosystem.example.format(**called),
    }
    sources = [path for path in sorted((HERE / ecosystem.id).rglob("*")) if path.is_file()]
    for path in sources:
        if "__pycache__" in path.parts:
            continue
        target = folder / path.relative_to(HERE / ecosystem.id)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".j2":
            template = environment.get_template(path.relative_to(HERE).as_posix())
            save(target.with_suffix(""), template.render(said), sync=False)
        else:
            shutil.copy(path, target)
    save(folder / "README.md", environment.get_template("README.md.j2").render(said), sync=False)
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
