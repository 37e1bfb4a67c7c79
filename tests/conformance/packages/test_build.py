"""The published packages of vectors have a reproducible tarball and a working example test."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from conformance import BUILD, VECTORS
from conformance.packages.build import (
    HERE,
    KNOWN_FAILURES,
    Ecosystem,
    contents,
    load_ecosystems,
    tarball,
    write_package,
)
from conformance.vectors import load_all
from reference_impl.register import registers
from tests.conftest import unavailable
from walproof.setup import in_ci

# Cargo and Maven print these messages if a dependency is not cached. Only CI downloads
# dependencies.
NOT_FETCHED = re.compile(r"offline|no matching package named|Could not find artifact", re.I)
TEST_SECONDS = 900


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return contents()


def test_the_tarball_does_not_depend_on_the_order_of_files(files: dict[str, bytes]) -> None:
    some = dict(list(files.items())[::50])
    assert tarball(some, "top") == tarball(dict(reversed(some.items())), "top")


def test_the_tarball_holds_the_set_and_its_manifest(files: dict[str, bytes]) -> None:
    with tarfile.open(fileobj=io.BytesIO(tarball(files, "top"))) as archive:
        members = {
            entry.name.removeprefix("top/"): archive.extractfile(entry).read()  # type: ignore[union-attr]
            for entry in archive
        }
        assert {(entry.mtime, entry.uid, entry.uname) for entry in archive} == {(0, 0, "")}
    manifest = json.loads(members.pop("MANIFEST.json"))
    on_disk = {
        path.relative_to(VECTORS).as_posix(): path.read_bytes()
        for path in VECTORS.rglob("*")
        if path.is_file()
    }
    assert members == on_disk
    assert manifest == {
        name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in on_disk.items()
    }


def test_known_failures_are_ids_of_vectors() -> None:
    ids = (HERE / KNOWN_FAILURES).read_text("utf-8").split()
    assert ids == sorted(set(ids) & load_all().keys())


def run_example(ecosystem: Ecosystem, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: os.environ[name] for name in os.environ if name != "PYTHONPATH"}
    environment["GOFLAGS"] = "-mod=mod"
    command = [*ecosystem.test]
    if not in_ci():
        environment |= {"CARGO_NET_OFFLINE": "true", "GOPROXY": "off"}
        command += ["-o"] if command[0] == "mvn" else []
    # All tests use the same folder, so that the crates are compiled only once.
    environment["CARGO_TARGET_DIR"] = str(BUILD / "packages" / "rust")
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=TEST_SECONDS, check=False,
    )  # fmt: skip


def user_project(ecosystem: Ecosystem, package: Path, folder: Path) -> Path:
    """Return a project with a copy of the example, as the package's README describes."""
    if ecosystem.id in ("rust", "maven"):
        # A user's project would be a copy of the package.
        return package
    for name in (ecosystem.example, KNOWN_FAILURES):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(package / name, folder / name)
    module = ecosystem.name
    if ecosystem.id == "go":
        text = (
            f"module project\n\ngo 1.23\n\nrequire {module} v0.0.0\nreplace {module} => {package}\n"
        )
        (folder / "go.mod").write_text(text)
    elif ecosystem.id == "npm":
        text = '{"type": "module", "scripts": {"test": "node --test"}}'
        (folder / "package.json").write_text(text)
        (folder / "node_modules" / module).parent.mkdir(parents=True)
        (folder / "node_modules" / module).symlink_to(package)
    else:
        (folder / "walproof_vectors").symlink_to(package / "walproof_vectors")
    return folder


@pytest.mark.parametrize(
    "ecosystem", load_ecosystems().values(), ids=lambda ecosystem: ecosystem.id
)
def test_the_example_of_a_package_fails_only_its_known_failures(
    ecosystem: Ecosystem, files: dict[str, bytes], tmp_path: Path
) -> None:
    if not ecosystem.is_installed():
        unavailable(f"{ecosystem.test[0]} is not installed")
    package = tmp_path / "package"
    write_package(ecosystem, files, package)
    readme = (package / "README.md").read_text("utf-8")
    assert json.loads(files["index.json"])["version"] in readme.splitlines()[0]
    assert f"`{ecosystem.example}`" in readme and (package / ecosystem.example).is_file()

    project = user_project(ecosystem, package, tmp_path / "project")
    published = (project / KNOWN_FAILURES).read_text("utf-8")
    unlisted, *others = published.splitlines()
    wrong = {unlisted, "leveldb-log/one-record"}
    (project / KNOWN_FAILURES).write_text("\n".join([*others, "leveldb-log/one-record", ""]))
    done = run_example(ecosystem, project)
    output = done.stdout + done.stderr
    named = set(re.findall(rf"(?:{'|'.join(registers())})/[a-z0-9-]+", output))
    if not named and NOT_FETCHED.search(output):
        unavailable(f"{ecosystem.title}: a dependency was never fetched here")
    assert done.returncode != 0 and wrong <= named, output[-3000:]
    if named != wrong:
        # Some tools also name vectors that pass. In this case, the unchanged list must pass.
        (project / KNOWN_FAILURES).write_text(published)
        done = run_example(ecosystem, project)
        assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
