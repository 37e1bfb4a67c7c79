"""A sandbox isolates a program. Without bubblewrap, it reports that isolation is missing."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance import VECTORS
from conformance import sandbox as sandbox_module
from conformance.checked_program import CheckedProgram
from conformance.process import run_program
from conformance.sandbox import Sandbox, bubblewrap, evidence, isolation, python_paths
from tests.conformance.scripted import run

ANSWER = VECTORS / "leveldb-log" / "empty-log.json"
needs_bubblewrap = pytest.mark.skipif(bubblewrap() is None, reason="bubblewrap is not usable here")


@pytest.fixture
def own_folder(tmp_path: Path) -> Path:
    """Return a directory with a hidden folder, a readable one, and the sandbox's own folder."""
    for name in ("hidden", "other", "own"):
        (tmp_path / name).mkdir()
    (tmp_path / "hidden" / "answers").write_text("42")
    (tmp_path / "other" / "file").write_text("as it was")
    return tmp_path


@pytest.fixture
def without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_module, "bubblewrap", lambda: None)


def tried(own_folder: Path, code: str, **options: object) -> str:
    """Run code in a sandbox; return ``yes`` if it succeeds, ``no`` after an ``OSError``."""
    box = Sandbox(own_folder / "own", hides=[own_folder / "hidden"], bare=True, **options)  # type: ignore[arg-type]
    program = f"try:\n {code}\n print('yes')\nexcept OSError as error:\n print('no', error)"
    done = run_program([sys.executable, "-S", "-c", f"import os, socket\n{program}"], 60, box)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()[0]


@needs_bubblewrap
class TestHeld:
    def test_its_own_folder_can_be_written(self, own_folder: Path) -> None:
        code = "open('here', 'w').write('x'); os.mkdir('a'); os.rename('here', 'a/here')"
        assert tried(own_folder, code) == "yes"
        assert (own_folder / "own" / "work" / "a" / "here").read_text() == "x"
        code = "open(os.environ['TMPDIR'] + '/t', 'w').write('x')"
        assert tried(own_folder, code) == "yes"

    @pytest.mark.parametrize(
        "code",
        [
            "open('{0}/other/file', 'a')",
            "os.truncate('{0}/other/file', 0)",
            "os.mkdir('{0}/other/new')",
            "os.unlink('{0}/other/file')",
            "os.rename('{0}/other/file', 'mine')",
            "os.link('{0}/other/file', 'mine'); open('mine', 'a')",
        ],
    )
    def test_other_paths_cannot_be_written(self, own_folder: Path, code: str) -> None:
        assert tried(own_folder, code.format(own_folder)) == "no"
        assert (own_folder / "other" / "file").read_text() == "as it was"
        assert [path.name for path in (own_folder / "other").iterdir()] == ["file"]

    def test_other_paths_can_be_read(self, own_folder: Path) -> None:
        assert tried(own_folder, f"open('{own_folder}/other/file').read()") == "yes"

    def test_hidden_paths_cannot_be_read(self, own_folder: Path) -> None:
        assert tried(own_folder, f"open('{own_folder}/hidden/answers').read()") == "no"
        through = f"open('/proc/{os.getpid()}/root{own_folder}/hidden/answers').read()"
        assert tried(own_folder, through) == "no"

    def test_a_link_to_a_hidden_path_is_broken(self, own_folder: Path) -> None:
        (own_folder / "link").symlink_to(own_folder)
        assert tried(own_folder, f"open('{own_folder}/link/hidden/answers').read()") == "no"

    def test_no_connection_is_made(self, own_folder: Path) -> None:
        with socket_here() as (port, accepted):
            code = f"socket.create_connection(('127.0.0.1', {port}), 5)"
            assert tried(own_folder, code) == "no"
            assert not accepted()

    def test_standard_devices_exist(self, own_folder: Path) -> None:
        assert tried(own_folder, "open('/dev/null', 'w').write('x'); os.urandom(1)") == "yes"


@contextlib.contextmanager
def socket_here() -> Iterator[tuple[int, Callable[[], bool]]]:
    """Yield a listening port, and a function that returns whether a client has connected."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)

        def accepted() -> bool:
            try:
                server.accept()[0].close()
            except TimeoutError:
                return False
            return True

        yield server.getsockname()[1], accepted


@needs_bubblewrap
@pytest.mark.parametrize("one_shot", [False, True])
@pytest.mark.parametrize("isolated", [True, False])
def test_a_program_under_test_cannot_see_the_answer(cases, program, one_shot, isolated) -> None:
    lines = f"""
    HELLO["reports"] = ["records", "signals"]
    def answer():
        return {{"records": [], "signals": ["seen"] * os.path.exists({str(ANSWER)!r})}}
    def reply(request):
        return {{"seq": request["seq"], "answer": answer()}}
    """
    loop = {"loop": "print(json.dumps(answer()))"} if one_shot else {}
    command = program(lines, **loop)
    subject = CheckedProgram("s", "s", command, one_shot=one_shot, isolated=isolated)
    (result,) = run(subject, cases("empty-log")).results
    assert result["class"] == ("pass" if isolated else "fail")


@needs_bubblewrap
def test_the_caller_cannot_be_ended(own_folder: Path) -> None:
    assert tried(own_folder, f"os.kill({os.getpid()}, 0)") == "no"


@needs_bubblewrap
def test_only_given_paths_can_be_read(own_folder: Path) -> None:
    reads = python_paths()
    assert tried(own_folder, f"open('{own_folder}/other/file').read()", reads=reads) == "no"
    more = [*reads, own_folder / "other"]
    assert tried(own_folder, f"open('{own_folder}/other/file').read()", reads=more) == "yes"


@pytest.mark.usefixtures("without_bubblewrap")
def test_without_bubblewrap_possible_access_is_reported(own_folder: Path) -> None:
    bare = Sandbox(own_folder / "own", hides=[own_folder / "hidden"])
    could = ["see hidden/", "change your files", "use the network", "end your processes"]
    assert bare.isolation() == {"by": ["own folder"], "could": could}
    assert bare.wrapped(["reader"], 3) == ["reader"]
    assert "use the network" in isolation(True)["could"]
    bounded = Sandbox(own_folder / "own", reads=python_paths()).isolation()
    assert bounded["could"][0] == "read your files"


@pytest.mark.usefixtures("without_bubblewrap")
def test_without_bubblewrap_a_program_runs_in_its_own_folder(own_folder: Path) -> None:
    assert tried(own_folder, "open('here', 'w').write(os.environ['TMPDIR'])") == "yes"
    temporary = (own_folder / "own" / "work" / "here").read_text()
    assert temporary == str(own_folder / "own" / "tmp")


def test_without_isolation_everything_is_possible() -> None:
    assert isolation(False)["by"] == ["scratch copies"]
    assert "change your files" in isolation(False)["could"]


def test_the_hidden_paths_are_those_of_the_checkout() -> None:
    names = {path.name for path in evidence()}
    assert {"vectors", ".git", "reports"} <= names


class TestEnvironment:
    @pytest.fixture
    def box(self, tmp_path: Path) -> Sandbox:
        return Sandbox(tmp_path / "own")

    def test_tokens_are_not_passed(self, box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in list(os.environ):
            monkeypatch.delenv(name)
        secret = ("GITHUB_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS", "NODE_AUTH_TOKEN", "PWD")
        for name in (*secret, "PATH", "LC_ALL", "JAVA_HOME"):
            monkeypatch.setenv(name, "x")
        passed = {"PATH", "LC_ALL", "JAVA_HOME", "TMPDIR", "TMP", "TEMP"}
        assert set(box.environment(["reader"])) == passed

    def test_the_checkout_is_passed_only_to_programs_in_it(
        self, box: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sandbox_module, "ROOT", Path("/checkout"))
        monkeypatch.setenv("PATH", "/checkout/bin")
        monkeypatch.setenv("PYTHONPATH", "/checkout")
        assert "PYTHONPATH" not in box.environment(["/my/reader"])
        assert box.environment(["/my/reader"])["PATH"] == "/checkout/bin"
        assert "PYTHONPATH" in box.environment(["/checkout/reader"])

    def test_commands_work_from_another_folder(
        self, box: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for name in ("lib", "read"):
            (tmp_path / name).mkdir()
        for name in ("reader", "a.py", "lib/x.jar"):
            (tmp_path / name).touch(0o755)
        folder = str(tmp_path)
        assert box.absolute_command(["./reader"]) == [f"{folder}/reader"]
        command = [
            "java",
            "-cp",
            "lib/*:lib/x.jar",
            "Main",
            "read",
            "a.py",
            "--log=./lib",
            "no/such",
        ]
        assert box.absolute_command(command)[1:] == [
            f"-Djava.io.tmpdir={box.temporary}", "-cp", f"{folder}/lib/*:{folder}/lib/x.jar",
            "Main", "read", f"{folder}/a.py", f"--log={folder}/lib", "no/such",
        ]  # fmt: skip
