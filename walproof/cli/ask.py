"""``walproof ask``: run one vector and print the protocol messages."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path

import click

from conformance.case_runner import new_session
from conformance.checked_program import CheckedProgram
from conformance.process import Limits
from conformance.program_session import PROGRAM_FAILURES, ProgramSession
from conformance.protocol.messages import encode
from conformance.scratch import Scratch
from conformance.vector_cases import VectorCase, cases_of
from conformance.vectors import Vector, load, load_all
from walproof.cli import program_options
from walproof.cli.near_names import did_you_mean
from walproof.cli.output import say, say_lines


@click.command()
@click.option("--cmd", "command", metavar="COMMAND", help="Program to run.")
@click.option("--impl", "name", metavar="NAME", help="Implementation of this repository to run.")
@click.option(
    "--vector",
    "wanted",
    required=True,
    metavar="ID",
    help="Vector id, such as leveldb-log/one-record, or vector file.",
)
@click.option("--profile", help="Profile: recover (default), strict, write or append.")
@click.option("--one-shot", is_flag=True, help="One-shot form of COMMAND.")
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder in which to leave the scratch copy.",
)
@program_options.isolation
def ask(
    command: str | None,
    name: str | None,
    wanted: str,
    profile: str | None,
    one_shot: bool,
    keep: Path | None,
    isolated: bool,
) -> int:
    """Run one vector and show the messages.

    The program gets a scratch copy of the log, as in `walproof check`. Each request and reply is
    printed unchanged, followed by the result.

    \b
    walproof ask --cmd './my-reader' --vector leveldb-log/cut-in-a-payload
    walproof ask --cmd './my-writer' --vector kahadb-journal/write-one-batch --keep /tmp/out

    Exit status: 0 if every reply is as expected, 3 if not, 1 for a usage error.
    """
    if (command is None) == (name is None):
        raise click.UsageError("expected --cmd COMMAND or --impl NAME, and not both")
    subject = (
        _ours(name, isolated)
        if name
        else program_options.foreign(command or "", one_shot, isolated)
    )
    vector = _vector(wanted)
    cases = cases_of([vector], [profile] if profile else ())
    if not cases:
        expected = " or ".join(case.profile for case in cases_of([vector]))
        raise click.UsageError(f"--profile {profile}: expected {expected} for {vector.id}")
    say(f"vector   {vector.id}: {vector.body['title']}")
    say(f"log      {vector.input}")
    say(f"damage   {'; '.join(vector.damage_texts) or 'none'}")
    with tempfile.TemporaryDirectory(prefix="walproof-") as scratch:
        place = (keep or Path(scratch)).absolute()
        place.mkdir(parents=True, exist_ok=True)
        if keep and any(place.iterdir()):
            raise click.UsageError(f"--keep {keep}: expected an empty or new folder")
        right = _exchange(subject, cases[0], place / vector.neutral_name)
    if keep:
        say(f"copy     {place / vector.neutral_name}")
    return 0 if right else 3


def _exchange(subject: CheckedProgram, case: VectorCase, place: Path) -> bool:
    scratch = Scratch()
    session = new_session(subject, Limits(), subject.sandbox(scratch.folder, place.parent))
    try:
        try:
            session.start()
        except PROGRAM_FAILURES as error:
            raise click.ClickException(f"{shlex.join(subject.command)}: hello: {error}") from None
        right = _print_steps(session, case, place)
        if session.stderr:
            say_lines(f"stderr   {session.stderr}")
    finally:
        session.close()
        scratch.close()
    say("right" if right else f"expected {_line(dict(case.expect or {}))}")
    return right


def _print_steps(session: ProgramSession, case: VectorCase, place: Path) -> bool:
    """Print each request and reply; return whether all replies were as expected."""
    right = True
    for number, step in enumerate(case.steps(), 1):
        step.prepare(place)
        request = step.request(case, place, number)
        say(f"→ {_line(request)}")
        try:
            reply = session.request(request, case.wall_ms)
        except PROGRAM_FAILURES as error:
            say(f"← no reply: {error}")
            return False
        say(f"← {_line(reply)}")
        if "skipped" in reply:
            continue
        difference = step.judge(reply, place, session.reports(reply)).difference
        if difference is not None:
            right = False
            say_lines(f"wrong    {difference}")
    return right


def _line(message: dict[str, object]) -> str:
    return encode(message).decode().rstrip("\n")


def _ours(name: str, isolated: bool) -> CheckedProgram:
    chosen = program_options.implementations([name])
    (subject,) = program_options.implementation_subjects(chosen, isolated)
    if subject.unavailable:
        raise click.ClickException(f"{name} is unavailable: {subject.unavailable}")
    return subject


def _vector(wanted: str) -> Vector:
    """Load a vector by its id, or from a file (for example, one that a sweep wrote)."""
    if wanted.endswith(".json") and Path(wanted).is_file():
        return load(Path(wanted))
    results = [each for id, each in load_all().items() if wanted in (id, id.partition("/")[2])]
    if len(results) != 1:
        why = ", ".join(each.id for each in results) if results else "no vector has this id"
        ids = load_all() if "/" in wanted else {id.partition("/")[2] for id in load_all()}
        near = "" if results else did_you_mean(wanted, ids)
        raise click.UsageError(f"--vector {wanted}: expected one vector; {why}{near}")
    return results[0]
