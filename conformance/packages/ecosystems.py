"""The ecosystems that a package of the vectors is made for."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Ecosystem:
    """One ecosystem. Its sources are in the folder here that is named like it.

    ``data`` is where the vectors lie in the package, ``language`` and ``example`` are for its
    README. ``test`` and ``pack`` are commands, run in the package's folder; ``pack`` makes the
    archive that is published, which :attr:`made` is a glob for. ``runs`` names the source in
    ``demonstrations`` that shows how its runner is used, if it has one (``RUNNERS.md``), and
    ``tables`` is the command that runs those of its tests alone that ask readers which are tables.
    """

    id: str
    title: str
    language: str
    example: str
    data: str
    test: tuple[str, ...]
    pack: tuple[str, ...] = ()
    made: str = ""
    runs: str = ""
    tables: tuple[str, ...] = ()

    def is_here(self) -> bool:
        """Whether its toolchain is installed."""
        return shutil.which(self.test[0]) is not None


ECOSYSTEMS = {
    one.id: one
    for one in (
        Ecosystem(
            "go", "Go", "go",
            'all, err := vectors.All("leveldb-log") // each with ID, Expect, Files() …',
            "vectors", ("go", "test", "./..."), runs="walproof_test.go.j2",
            tables=("go", "test", "./walprooftest", "-run", "^TestTables$"),
        ),
        Ecosystem(
            "npm", "Node.js", "js",
            'import {{ vectors }} from "{npm}";\nfor (const vector of vectors("leveldb-log")) {{\n'
            "  // vector.files(), vector.expect.records …\n}}",
            "vectors", ("npm", "test", "--silent"), ("npm", "pack", "--silent"), "*.tgz",
            runs="walproof.test.js.j2", tables=("node", "--test", "test/tables.test.js"),
        ),
        Ecosystem(
            "maven", "Java", "java",
            'for (Vector vector : Vectors.all("leveldb-log")) {{\n'
            "  // vector.files(), vector.expect.records …\n}}",
            "src/main/resources/vectors", ("mvn", "-q", "-B", "test"),
            ("mvn", "-q", "-B", "package", "-DskipTests"), "target/*.jar",
            runs="src/test/java/WalproofTest.java",
            tables=("mvn", "-q", "-B", "test", "-Dtest=TablesTest"),
        ),
        Ecosystem(
            "rust", "Rust", "rust",
            'for vector in walproof_vectors::vectors(Some("leveldb-log"))? {{\n'
            "    // vector.files()?, vector.expect.records …\n}}",
            "vectors", ("cargo", "test", "--quiet"),
            ("cargo", "package", "--quiet", "--allow-dirty", "--no-verify"),
            "target/package/*.crate", runs="tests/walproof.rs",
            tables=("cargo", "test", "--quiet", "--test", "tables"),
        ),
        Ecosystem(
            "python", "Python", "python",
            'for vector in walproof_vectors.vectors("leveldb-log"):\n'
            "    ...  # vector.files(), vector.expect.records",
            "vectors", (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"),
            (sys.executable, "-m", "hatchling", "build", "-d", "dist"), "dist/*",
            runs="test_walproof.py",
            tables=(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                    "tests/test_tables.py"),
        ),
    )
}  # fmt: skip
