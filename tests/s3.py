"""A real S3 server for a folder, in which the file ROOT/BUCKET/KEY is the object KEY."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance import BUILD
from walproof.setup import in_ci

LOOPBACK = "127.0.0.1"
SERVER = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"
KEY, SECRET = "walproof", "walproof-secret"
#: Spark's S3 connector, in the version of PySpark's Hadoop. It needs only these parts of the AWS
#: SDK, but by default it loads the whole SDK (600 MB).
SDK = "software.amazon.awssdk"
CONNECTOR = (
    "org.apache.hadoop:hadoop-aws:3.5.0",
    *(f"{SDK}:{part}:2.35.4" for part in ("s3", "s3-transfer-manager", "sts", "apache-client")),
)


def server_program() -> Path:
    """Return the path of the server program, and build it if it does not exist.

    Without Go, the test is skipped, or fails in CI.
    """
    program = BUILD / "s3" / "versitygw"
    if program.exists():
        return program
    if shutil.which("go") is None:
        (pytest.fail if in_ci() else pytest.skip)("no Go to build an S3 server with")
    new = program.parent / f"new-{os.getpid()}"
    # Building without optimisation saves a third of the build time. This is fast enough for a few
    # small files.
    built = subprocess.run(
        ["nice", "go", "install", "-gcflags=all=-N -l", "-ldflags=-s -w", SERVER],
        env={**os.environ, "GOBIN": str(new), "CGO_ENABLED": "0", "GOFLAGS": "-p=2"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    if built.returncode:
        why = f"the S3 server could not be built: {built.stderr.strip()[-300:]}"
        (pytest.fail if in_ci() else pytest.skip)(why)
    (new / program.name).replace(program)
    new.rmdir()
    return program


def reach(address: str) -> dict[str, str]:
    """Return the options that a query needs to reach a server."""
    return {
        "fs.endpoint_override": address,
        "fs.scheme": "http",
        "fs.access_key": KEY,
        "fs.secret_key": SECRET,
        "fs.region": "us-east-1",
    }


def spark_settings(address: str) -> dict[str, str]:
    """Return the settings that Spark's own connector (``s3a:``) needs to reach a server."""
    s3a = {
        "endpoint": f"http://{address}",
        "endpoint.region": "us-east-1",
        "access.key": KEY,
        "secret.key": SECRET,
        "path.style.access": "true",
    }
    return {
        "spark.jars.packages": ",".join(CONNECTOR),
        "spark.jars.excludes": f"{SDK}:bundle",
        "spark.jars.ivy": str(BUILD / "ivy"),
        **{f"spark.hadoop.fs.s3a.{name}": value for name, value in s3a.items()},
    }


@contextmanager
def gateway(folder: Path) -> Iterator[tuple[Path, str]]:
    """Serve the folders in ``folder/root`` as buckets; yield the root and the server's address."""
    program = server_program()
    root, sibling = folder / "root", folder / "beside"
    root.mkdir(parents=True)
    sibling.mkdir()
    with socket.socket() as free:
        free.bind((LOOPBACK, 0))
        port = free.getsockname()[1]
    address = f"{LOOPBACK}:{port}"
    command = [str(program), "--access", KEY, "--secret", SECRET, "--port", address, "--quiet"]
    server = subprocess.Popen(
        [*command, "posix", "--sidecar", str(sibling), str(root)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(address, server)
        yield root, address
    finally:
        server.terminate()
        server.wait(10)


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    host, _, port = address.rpartition(":")
    look = f"exec 3<>/dev/tcp/{host}/{port}"
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and server.poll() is None:
        if not subprocess.run(["bash", "-c", look], capture_output=True).returncode:
            return
        time.sleep(0.05)
    pytest.fail(f"the S3 server does not listen on {address}")
