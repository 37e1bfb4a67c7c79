"""What is published of the vectors: the tarball, and a package for each ecosystem with its test."""

from __future__ import annotations

import hashlib
import io
import json
import re
import tarfile
from pathlib import Path

import pytest

from conformance import VECTORS
from conformance.packages.build import contents, package, tarball
from conformance.packages.crosscheck import (
    ask_harness,
    ask_runner,
    disagreements,
    harness_results,
    runner_results,
    tables_of,
)
from conformance.packages.ecosystems import ECOSYSTEMS, Ecosystem
from conformance.vectors import Vector, load_all
from reference_impl.register import registers

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


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of tables, right and wrong, and what the harness makes of them."""
    vectors = load_all()
    telling = [one for one in vectors.values() if "accept" in one.body or _is_rare(one)]
    chosen = list({one.id: one for one in [*telling, *list(vectors.values())[::80]]}.values())
    # A runner loads all vectors of a format that it is asked about: each table has its own.
    of_first = list(registers())[::2]
    first = [one for one in chosen if one.body["format"] in of_first]
    second = [one for one in chosen if one.body["format"] not in of_first]
    folder = tmp_path_factory.mktemp("tables")
    ask_harness([tables_of(first)[1], tables_of(second)[3]], chosen, folder)
    return folder


def _is_rare(vector: Vector) -> bool:
    names = [file["name"] for file in vector.body.get("after", {}).get("files", [])]
    return vector.id == "leveldb-log/every-prefix-of-three-blocks" or any(
        "*" in name for name in names
    )


@pytest.mark.parametrize("ecosystem", ECOSYSTEMS.values(), ids=lambda one: one.id)
def test_a_package_passes_its_own_tests(
    ecosystem: Ecosystem, files: dict[str, bytes], asked: Path, tmp_path: Path
) -> None:
    """Its runner too judges the tables as the harness does."""
    if not ecosystem.is_here():
        pytest.skip(f"{ecosystem.test[0]} is not here")
    package(ecosystem, files, tmp_path / "package")
    version = json.loads(files["index.json"])["version"]
    readme = (tmp_path / "package" / "README.md").read_text()
    assert version in readme.splitlines()[0] and "{" + "{" not in readme
    done = ask_runner(ecosystem, tmp_path / "package", asked)
    said = done.stdout + done.stderr
    if done.returncode and NOT_FETCHED.search(said):
        pytest.skip(f"{ecosystem.title}: a dependency was never fetched here")
    assert done.returncode == 0, said[-3000:]
    for table in asked.glob("*.harness") if ecosystem.runs else ():
        harness = harness_results(asked, table.stem)
        found = disagreements(
            table.stem, harness, runner_results(table.with_suffix(f".{ecosystem.id}"))
        )
        assert not found and len(harness) > 10, found[:5]
        assert {"pass", "fail"} <= {one["class"] for one in harness.values()}
