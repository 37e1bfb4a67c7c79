"""What is published of the vectors: the tarball, and a package for each ecosystem with its test."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
from pathlib import Path

import pytest

from conformance import VECTORS
from conformance.packages.build import contents, package, tarball
from conformance.packages.ecosystems import ECOSYSTEMS, Ecosystem

NOT_FETCHED = re.compile(r"offline|no matching package named|Could not find artifact", re.I)
"""What Cargo and Maven say where a dependency was never fetched; tests fetch nothing."""


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return contents()


def test_the_tarball_is_the_same_whoever_makes_it(files: dict[str, bytes]) -> None:
    shuffled = dict(reversed(files.items()))
    assert tarball(files, "top") == tarball(shuffled, "top")


def test_the_tarball_holds_the_set_and_its_manifest(files: dict[str, bytes]) -> None:
    with tarfile.open(fileobj=io.BytesIO(tarball(files, "top"))) as archive:
        found = {
            entry.name.removeprefix("top/"): archive.extractfile(entry).read()  # type: ignore[union-attr]
            for entry in archive
        }
        assert {(entry.mtime, entry.uid, entry.uname) for entry in archive} == {(0, 0, "")}
    manifest = json.loads(found.pop("MANIFEST.json"))
    on_disk = {
        path.relative_to(VECTORS).as_posix(): path.read_bytes()
        for path in VECTORS.rglob("*")
        if path.is_file()
    }
    assert found == on_disk
    assert manifest == {
        name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in on_disk.items()
    }


@pytest.mark.parametrize("ecosystem", ECOSYSTEMS.values(), ids=lambda one: one.id)
def test_a_package_passes_its_own_tests(
    ecosystem: Ecosystem, files: dict[str, bytes], tmp_path: Path
) -> None:
    if not ecosystem.is_here():
        pytest.skip(f"{ecosystem.test[0]} is not here")
    package(ecosystem, files, tmp_path / "package")
    version = json.loads(files["index.json"])["version"]
    readme = (tmp_path / "package" / "README.md").read_text()
    assert version in readme.splitlines()[0] and "{" + "{" not in readme
    words = [*ecosystem.test, *(["-o"] if ecosystem.test[0] == "mvn" else [])]
    environment = {name: os.environ[name] for name in os.environ if name != "PYTHONPATH"}
    environment |= {"CARGO_NET_OFFLINE": "true", "GOFLAGS": "-mod=mod", "GOPROXY": "off"}
    done = subprocess.run(
        words, cwd=tmp_path / "package", env=environment, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=900, check=False,
    )  # fmt: skip
    said = done.stdout + done.stderr
    if done.returncode and NOT_FETCHED.search(said):
        pytest.skip(f"{ecosystem.title}: a dependency was never fetched here")
    assert done.returncode == 0, said[-3000:]
