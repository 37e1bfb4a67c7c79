"""Run cases. Each case has a scratch copy, one request, one reply and a judgement."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.case_results import (
    ProgramRun,
    RunInterrupted,
    died,
    failed,
    passed,
    summary,
    with_known,
    with_stderr,
)
from conformance.checked_program import CheckedProgram
from conformance.contents import TooMuch
from conformance.process import Limits
from conformance.program_session import (
    PROGRAM_FAILURES,
    BaselineSession,
    OneShotSession,
    ProgramSession,
    ProtocolSession,
)
from conformance.sandbox import Sandbox
from conformance.scratch import Scratch
from conformance.vector_cases import ReplyJudgement, Step, VectorCase

# One-shot programs read this many intact logs first. A program that crashes on all of them counts
# as broken, and reads no other logs.
INTACT_LOGS_FIRST = 3
# Several processes of a subject share its cases only if each process gets at least this many.
MIN_SHARD_CASES = 50
# When a case runs again after a timeout, its time limit is multiplied by this factor.
TIMEOUT_FACTOR = 5
# After this many confirmed timeouts, no case of a subject is run again with more time.
MAX_CONFIRMED_TIMEOUTS = 3
# The session ends after a result of one of these classes.
FATAL_CLASSES = ("crash", "timeout", "over-limit", "protocol-error")

# Separates the description of a crash from the result class of the case when it runs alone, if that
# class differs.
ALONE = "; alone: "

Result = dict[str, Any]


@dataclass
class Retries:
    """The timeouts of a subject, shared by its shards."""

    confirmed_timeouts: int = 0


@dataclass
class Shard:
    """A part of a subject's cases with their results, each with its number among all cases."""

    subject: CheckedProgram
    cases: Sequence[tuple[int, VectorCase]]
    retries: Retries
    hello: dict[str, Any] = field(default_factory=dict)
    results: dict[int, Result] = field(default_factory=dict)
    broken: str | None = None
    seconds: float = 0.0


def run_programs(
    subjects: Sequence[CheckedProgram],
    cases: Callable[[CheckedProgram], Sequence[VectorCase]],
    jobs: int = 2,
    limits: Limits | None = None,
    progress: Callable[[], None] = lambda: None,
) -> list[ProgramRun]:
    """Run the cases of every subject, with at most ``jobs`` sessions at a time in total.

    ``progress`` is called after each case. Raises ``RunInterrupted`` with the results of the
    finished cases.
    """
    limits = limits or Limits()
    shards = [_shards(subject, cases(subject), jobs) for subject in subjects]
    cancelled = threading.Event()
    with ThreadPoolExecutor(jobs) as pool:
        futures = [
            pool.submit(_run_shard, shard, limits, progress, cancelled)
            for of_subject in shards
            for shard in of_subject
        ]
        try:
            for future in as_completed(futures):
                future.result()
        # No program may keep running after Ctrl-C or a defect of this project.
        except BaseException as error:
            cancelled.set()
            pool.shutdown(cancel_futures=True)
            if isinstance(error, KeyboardInterrupt):
                raise RunInterrupted(_all_merged(subjects, shards)) from None
            raise
    return _all_merged(subjects, shards)


def _all_merged(
    subjects: Sequence[CheckedProgram], shards: Sequence[Sequence[Shard]]
) -> list[ProgramRun]:
    return [_merged(subject, each) for subject, each in zip(subjects, shards, strict=True)]


def _shards(subject: CheckedProgram, cases: Sequence[VectorCase], jobs: int) -> list[Shard]:
    if subject.unavailable is not None:
        return []
    count = max(1, min(jobs, len(cases) // MIN_SHARD_CASES))
    numbered, retries = list(enumerate(cases)), Retries()
    return [Shard(subject, numbered[first::count], retries) for first in range(count)]


def _run_shard(
    shard: Shard, limits: Limits, progress: Callable[[], None], cancelled: threading.Event
) -> None:
    started = time.monotonic()
    with CaseRunner(shard.subject, limits, shard.retries, cancelled) as worker:
        for number, case in _in_order(shard):
            if cancelled.is_set():
                return
            shard.broken = _why_broken(shard)
            if shard.broken is not None:
                break
            try:
                session = worker.open_session()
            except PROGRAM_FAILURES as error:
                # A program without a valid hello message counts as broken, so no case runs.
                shard.broken = with_stderr(f"hello: {error}", worker.stderr)
                break
            shard.hello = session.hello
            if reads(session, case):
                shard.results[number] = with_known(shard.subject, worker.run(case))
            progress()
    shard.seconds = time.monotonic() - started


def _in_order(shard: Shard) -> Sequence[tuple[int, VectorCase]]:
    """Return the cases in order. For a one-shot program, intact logs come first."""
    if not shard.subject.one_shot:
        return shard.cases
    return sorted(shard.cases, key=lambda each: (each[1].expect or {}).get("verdict") != "intact")


def _why_broken(shard: Shard) -> str | None:
    """Return why a one-shot program is broken if it crashed on each of the first logs."""
    if not shard.subject.one_shot:
        return None
    asked = (each for each in shard.results.values() if each["class"] != "skipped")
    first = list(itertools.islice(asked, INTACT_LOGS_FIRST + 1))
    if len(first) != INTACT_LOGS_FIRST:
        return None
    if any(each["class"] != "crash" for each in first):
        return None
    text = f"no answer to {len(first)} intact logs: {first[0]['difference']}"
    shard.results.clear()
    return with_stderr(text, first[0]["stderr"])


def _merged(subject: CheckedProgram, shards: Sequence[Shard]) -> ProgramRun:
    run = ProgramRun(subject)
    if subject.unavailable is not None:
        run.status, run.because = "unavailable", subject.unavailable
    for shard in shards:
        if shard.broken is not None:
            run.status, run.because = "broken", run.because or shard.broken
        if not run.hello:
            run.hello = shard.hello
        elif subject.one_shot:  # answers of a one-shot program show which parts it reports
            reports = run.hello["reports"]
            reports += [part for part in shard.hello["reports"] if part not in reports]
        run.seconds += shard.seconds
    results = {number: result for shard in shards for number, result in shard.results.items()}
    run.results = [results[number] for number in sorted(results)]
    return run


class CaseRunner:
    """Run cases of one subject, one after the other, in a scratch directory and a sandbox."""

    def __init__(
        self,
        subject: CheckedProgram,
        limits: Limits | None = None,
        retries: Retries | None = None,
        cancelled: threading.Event | None = None,
        parent: Path | None = None,
    ) -> None:
        self.subject = subject
        self.scratch = Scratch(parent)
        # The judgement of the first unexpected answer in the last case, or None.
        self.judgement: ReplyJudgement | None = None
        self._limits, self._cancelled = limits or Limits(), cancelled
        self._retries = retries or Retries()
        self._sandbox = subject.sandbox(self.scratch.folder)
        self._session: ProgramSession | None = None

    def __enter__(self) -> CaseRunner:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def stderr(self) -> str | None:
        """Return the last output of the current session to standard error."""
        return None if self._session is None else self._session.stderr

    def open_session(self) -> ProgramSession:
        """Return the session, started if necessary. Raises ``PROGRAM_FAILURES``."""
        if self._session is None:
            self._session = self._new_session()
            self._session.start()
        return self._session

    def close(self) -> None:
        """End the session and remove the scratch folder."""
        try:
            self.close_session()
        finally:
            self.scratch.close()

    def close_session(self) -> None:
        """End the session."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def run(self, case: VectorCase) -> Result:
        """Run one case and return its result.

        After a crash, a timeout or a similar failure, the case may run once more, alone, in a new
        session. A timeout counts only if it occurs again with a longer time limit.
        """
        session = self.open_session()
        is_alone = session.replies == 0 or self.subject.one_shot
        result = self._run_case(session, case)
        if result["class"] not in FATAL_CLASSES:
            return result
        self.close_session()
        is_slow = result["class"] == "timeout"
        is_known = self.subject.known.matches(
            result["vector"], result["profile"], result["class"], result["found"]
        )
        if is_known or (is_alone and not is_slow):
            return result
        if not is_slow:
            return _confirmed(result, self._run_alone(case, 1))
        if self._retries.confirmed_timeouts >= MAX_CONFIRMED_TIMEOUTS:
            return result
        again = self._run_alone(case, TIMEOUT_FACTOR)
        if again is None or again["class"] != "timeout":
            return again or result
        self._retries.confirmed_timeouts += 1
        return result

    def _run_alone(self, case: VectorCase, factor: int) -> Result | None:
        session = self._new_session()
        try:
            session.start()
            return self._run_case(session, case, factor)
        except PROGRAM_FAILURES:
            return None
        finally:
            session.close()

    def _run_case(self, session: ProgramSession, case: VectorCase, factor: int = 1) -> Result:
        result, self.judgement = passed(self.subject, case), None
        if case.profile not in session.hello["profiles"]:
            return result | {"class": "skipped", "difference": "not one of its profiles"}
        started = time.monotonic()
        try:
            wrong = [
                difference
                for step in case.steps()
                if (difference := self._run_step(session, case, step, factor)) is not None
            ]
            # A case with a failed request fails, even if another request was skipped.
            wrong = [each for each in wrong if each["class"] == "fail"] or wrong
            if wrong:
                result |= summary(wrong)
        except (*PROGRAM_FAILURES, TooMuch) as error:
            result |= died(error, case, session.stderr)
        result["ms"] = round((time.monotonic() - started) * 1000, 3)
        return result

    def _run_step(
        self, session: ProgramSession, case: VectorCase, step: Step, factor: int
    ) -> Result | None:
        path = self.scratch.new_path(case.vector.neutral_name)
        step.prepare(path)
        wall_ms = factor * case.wall_ms
        reply = session.request(step.request(case, path, session.replies + 1), wall_ms)
        if "skipped" in reply:
            self.scratch.clear(path)
            return {"class": "skipped", "difference": reply["skipped"], "found": {}}
        reports = session.reports(reply)
        judgement = step.judge(reply, path, reports)
        if judgement.difference is not None:
            details = step.details(case, path, session.replies + 1)
            if details is not None:
                judgement = step.judge(session.request(details, wall_ms), path, reports)
        self.scratch.clear(path)
        if judgement.difference is None:
            return None
        self.judgement = self.judgement or judgement
        return failed(judgement, session.stderr)

    def _new_session(self) -> ProgramSession:
        return new_session(self.subject, self._limits, self._sandbox, self._cancelled)


def new_session(
    subject: CheckedProgram,
    limits: Limits,
    sandbox: Sandbox | None,
    cancelled: threading.Event | None = None,
) -> ProgramSession:
    """Return a session for a subject. The session is not started yet."""
    if subject.baseline is not None:
        return BaselineSession(subject.baseline)
    if subject.one_shot:
        return OneShotSession(subject.command, limits, sandbox, subject.strict, cancelled)
    return ProtocolSession(subject.command, limits, sandbox, cancelled=cancelled)


def _confirmed(result: Result, alone: Result | None) -> Result:
    if alone is None:
        return result
    if alone["class"] == result["class"]:
        return result | {"difference": alone["difference"], "found": alone["found"]}
    text = f"{result['difference']}{ALONE}{alone['class']}"
    return result | {"difference": text, "found": {**result["found"], "alone": alone["class"]}}


def reads(session: ProgramSession, case: VectorCase) -> bool:
    """Return whether a program reads the format of a case."""
    formats = session.hello["formats"]
    return formats == ["*"] or case.vector.body["format"] in formats
