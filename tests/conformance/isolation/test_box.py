"""What a box holds, by each of its two means and by both, and what it says that it does not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.isolation import Box, Offered, offered, words
from conformance.isolation.box import evidence
from conformance.isolation.boxed import Boxed, NoReply, TookTooLong, once, python_places
from conformance.isolation.environment import environment, from_anywhere

HERE = offered()
BOTH = pytest.param(HERE, id="both")
RULES = pytest.param(Offered(HERE.landlock, False), id="landlock")
APART = pytest.param(Offered(0, HERE.namespaces), id="namespaces")


def needs(offer: Offered) -> None:
    if not offer.landlock and not offer.namespaces:
        pytest.skip("this system offers neither Landlock nor namespaces: a box holds nothing")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a hidden one, one to read, and the box's own."""
    for name in ("hidden", "other", "box"):
        (tmp_path / name).mkdir()
    (tmp_path / "hidden" / "answers").write_text("42")
    (tmp_path / "other" / "file").write_text("as it was")
    return tmp_path


def tried(place: Path, offer: Offered, code: str, **more: object) -> str:
    """What the code prints in a box: ``yes``, or the name of the error."""
    needs(offer)
    box = Box(place / "box", hides=[place / "hidden"], offer=offer, **more)  # type: ignore[arg-type]
    program = f"try:\n {code}\n print('yes')\nexcept OSError as error:\n print('no', error)"
    done = once(
        [sys.executable, "-S", "-c", f"import os, socket\n{program}"], box,
        {**os.environ, **box.bare()}, 60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()[0]


@pytest.mark.parametrize("offer", [BOTH, RULES, APART])
class TestHeld:
    def test_its_own_folder_can_be_written(self, place: Path, offer: Offered) -> None:
        code = "open('here', 'w').write('x'); os.mkdir('a'); os.rename('here', 'a/here')"
        assert tried(place, offer, code) == "yes"
        assert (place / "box" / "work" / "a" / "here").read_text() == "x"
        code = "open(os.environ['TMPDIR'] + '/t', 'w').write('x')"
        assert tried(place, offer, code) == "yes"

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
    def test_nothing_else_can(self, place: Path, offer: Offered, code: str) -> None:
        assert tried(place, offer, code.format(place)) == "no"
        assert (place / "other" / "file").read_text() == "as it was"
        assert [path.name for path in (place / "other").iterdir()] == ["file"]

    def test_what_is_not_hidden_can_be_read(self, place: Path, offer: Offered) -> None:
        assert tried(place, offer, f"open('{place}/other/file').read()") == "yes"

    def test_what_is_hidden_cannot(self, place: Path, offer: Offered) -> None:
        assert tried(place, offer, f"open('{place}/hidden/answers').read()") == "no"
        through = f"open('/proc/{os.getpid()}/root{place}/hidden/answers').read()"
        assert tried(place, offer, through) == "no"

    def test_a_link_to_what_is_hidden_leads_nowhere(self, place: Path, offer: Offered) -> None:
        (place / "link").symlink_to(place)
        assert tried(place, offer, f"open('{place}/link/hidden/answers').read()") == "no"

    def test_no_connection_is_made(self, place: Path, offer: Offered) -> None:
        with socket_here() as (port, accepted):
            code = f"socket.create_connection(('127.0.0.1', {port}), 5)"
            assert tried(place, offer, code) == "no"
            assert not accepted()

    def test_devices_that_every_program_uses(self, place: Path, offer: Offered) -> None:
        assert tried(place, offer, "open('/dev/null', 'w').write('x'); os.urandom(1)") == "yes"


def socket_here():
    import contextlib
    import socket

    @contextlib.contextmanager
    def listening():
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(0.2)

            def accepted() -> bool:
                try:
                    server.accept()[0].close()
                except TimeoutError:
                    return False
                return True

            yield server.getsockname()[1], accepted

    return listening()


def test_the_caller_cannot_be_ended(place: Path) -> None:
    if HERE.landlock < 6:
        pytest.skip(f"Landlock ABI {HERE.landlock} does not cover signals")
    assert tried(place, HERE, f"os.kill({os.getpid()}, 0)") == "no"


def test_only_what_is_given_can_be_read(place: Path) -> None:
    if not HERE.landlock:
        pytest.skip("no Landlock here: a program in a box can read your files")
    reads = python_places()
    assert tried(place, HERE, f"open('{place}/other/file').read()", reads=reads) == "no"
    more = [*reads, place / "other"]
    assert tried(place, HERE, f"open('{place}/other/file').read()", reads=more) == "yes"


def test_without_either_it_says_what_a_program_could_do(place: Path) -> None:
    nothing = Box(place / "box", hides=[place / "hidden"], offer=Offered())
    assert nothing.held_by() == ["own folder"]
    assert nothing.could() == [
        "see hidden/", "change your files", "use the network", "end your processes",
    ]  # fmt: skip
    old = words.could(Offered(landlock=2), [place / "hidden"])
    assert "cut your files" in old and "use the network" in old and "list hidden/" in old
    assert words.could(Offered(landlock=7, namespaces=True), [place / "hidden"]) == []


def test_what_cannot_be_held_is_not_run(place: Path) -> None:
    class Broken(Box):
        def enter(self) -> None:
            raise OSError("no")

    box = Broken(place / "box")
    with pytest.raises(subprocess.SubprocessError):
        once([sys.executable, "-c", f"open({str(place / 'ran')!r}, 'w')"], box, box.bare(), 60)
    assert not (place / "ran").exists()


def test_the_evidence_is_that_of_the_checkout() -> None:
    names = {path.name for path in evidence()}
    assert {"vectors", ".git", "reports"} <= names


def test_a_program_that_dies_or_hangs(place: Path) -> None:
    box = Box(place / "box")
    with pytest.raises(TookTooLong):
        once([sys.executable, "-S", "-c", "import time; time.sleep(60)"], box, box.bare(), 0.5)
    code = "import sys\nfor line in sys.stdin:\n exec(line[1:-2])"
    program = Boxed([sys.executable, "-S", "-u", "-c", code], box, box.bare(), 20, most=100)
    try:
        for said, why in (
            ("sys.exit()", "died"),
            ("print(123)", "no answer"),
            ("print('['*90)", "no answer"),
            ("print('x'*5000)", "too long"),
        ):
            with pytest.raises(NoReply, match=why):
                program.ask(said)  # type: ignore[arg-type]
    finally:
        program.close()


class TestEnvironment:
    def test_tokens_stay_outside(self, tmp_path: Path) -> None:
        secret = ("GITHUB_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS", "NODE_AUTH_TOKEN", "PWD")
        own = dict.fromkeys((*secret, "PATH", "LC_ALL", "JAVA_HOME"), "x")
        found = environment(own, tmp_path, ["reader"], Path("/checkout"))
        assert set(found) == {"PATH", "LC_ALL", "JAVA_HOME", "TMPDIR", "TMP", "TEMP"}

    def test_the_checkout_is_named_only_to_who_names_it(self, tmp_path: Path) -> None:
        own = {"PATH": "/checkout/bin", "PYTHONPATH": "/checkout"}
        checkout = Path("/checkout")
        assert "PYTHONPATH" not in environment(own, tmp_path, ["/my/reader"], checkout)
        assert "PYTHONPATH" in environment(own, tmp_path, ["/checkout/reader"], checkout)

    def test_a_command_means_the_same_in_another_folder(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for name in ("lib", "read"):
            (tmp_path / name).mkdir()
        for name in ("reader", "a.py", "lib/x.jar"):
            (tmp_path / name).touch(0o755)
        here = str(tmp_path)
        assert from_anywhere(["./reader"], tmp_path) == [f"{here}/reader"]
        words = ["java", "-cp", "lib/*:lib/x.jar", "Main", "read", "a.py", "--log=./lib", "no/such"]
        assert from_anywhere(words, Path("/t"))[1:] == [
            "-Djava.io.tmpdir=/t", "-cp", f"{here}/lib/*:{here}/lib/x.jar", "Main", "read",
            f"{here}/a.py", f"--log={here}/lib", "no/such",
        ]  # fmt: skip
