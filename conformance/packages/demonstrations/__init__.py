"""Real implementations under the runners of the packages; each folder is the example of one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Demonstration:
    """An implementation under the runner of an ecosystem.

    ``copies`` are files beside the sources, by name and that in the implementation's folder.
    ``test`` is run after ``prepare``. ``profiles`` are those that the example asks. ``path`` has
    folders for Python, ``environment`` variables; ``{build}`` is that of the implementation.
    """

    ecosystem: str
    implementation: str
    test: tuple[str, ...]
    copies: Mapping[str, str]
    profiles: tuple[str, ...]
    prepare: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


DEMONSTRATIONS = {
    one.ecosystem: one
    for one in (
        Demonstration(
            "go", "goleveldb", ("go", "test", "./..."),
            {
                "go.sum": "go.sum",
                "testdata/known-failures.json": "known-failures.json",
            },
            ("recover", "strict", "write"),
        ),
        Demonstration(
            "python", "dfindexeddb", (sys.executable, "-m", "pytest", "-q"),
            {"known-failures.json": "known-failures.json"}, ("recover",),
            path=("../package", "{build}/venv/lib/python*/site-packages"),
        ),
        Demonstration(
            "npm", "zmq-raft", ("node", "--test", "--test-reporter=dot"),
            {
                name: name
                for name in ("known-failures.json", "reading.mjs", "writing.mjs", "zmq_raft.mjs")
            },
            ("recover", "strict", "write", "append"),
            prepare=("npm", "install", "--offline", "--no-audit", "--no-fund", "--silent"),
            environment={"ZMQ_RAFT": "{build}"},
        ),
        Demonstration(
            "rust", "rusty-leveldb",
            # Its log module is private: of a copy it is not (README.md of the implementation).
            ("cargo", "test", "--quiet", "--config",
             'patch.crates-io.rusty-leveldb.path="{build}/upstream-4.0.2"'),
            {"known-failures.json": "known-failures.json"},
            ("recover", "write", "append"),
        ),
        Demonstration(
            "maven", "zeebe-journal", ("mvn", "-q", "-B", "-o", "-Dzeebe={build}/lib", "test"),
            {"known-failures.json": "known-failures.json"},
            ("recover", "write", "append"),
            prepare=("mvn", "-q", "-B", "-o", "-f", "../package", "package", "-DskipTests"),
        ),
    )
}  # fmt: skip
