"""Running cases against implementations: long-lived children, in parallel; a crash ends one."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from conformance.ahead import Asked, Numbered, is_as_it_was, placed
from conformance.cases import CHANGED_BY_READING, Case, Judgement, Step
from conformance.contents import TooMuch
from conformance.conversation import Conversation, Workplace, together, workplace
from conformance.outcome import (
    CLASS_OF_ERROR,
    SubjectRun,
    died,
    failed,
    passed,
    summary,
    with_known,
    with_stderr,
)
from conformance.protocol.child import Child, Limits, OutOfTurn
from conformance.protocol.oneshot import reports_of
from conformance.scratch import Scratch
from conformance.subject import Subject

PATIENCE = 5
"""How many times its limit a case gets when it is asked again after a time-out."""
BELIEVED = 3
"""After so many time-outs that happened twice, a program is no longer asked again."""
AHEAD = 32
"""Requests that are outstanding at a time, at most, of a program that answers them soundly."""
WARM = 8
"""So many replies in turn must have come before a second request is sent ahead of a reply."""
AT_ONCE = 0.25
"""Seconds that a program works as any other on a case on which it is known to hang."""
HANGERS = 4
"""So many programs wait for what they are known to hang on, for each one that works."""
WORTH_A_START = 50
"""So many cases must be left for one more child to help with them."""


class Runner:
    """Runs cases against one subject with up to ``workers`` children at a time."""

    def __init__(
        self,
        subject: Subject,
        cases: Sequence[Case],
        workers: int = 1,
        limits: Limits | None = None,
        gate: asyncio.Semaphore | None = None,
        progress: Callable[[], None] = lambda: None,
        waiting: asyncio.Semaphore | None = None,
    ) -> None:
        self.subject = subject
        self.cases = cases
        self.workers = workers
        self.limits = limits or Limits()
        self.gate = gate or asyncio.Semaphore(workers)
        self.waiting = waiting or self.gate
        self.progress = progress
        self.outcome = SubjectRun(subject)
        hangs = {number for number, case in enumerate(cases) if self._is_known_to_hang(case)}
        self._hangers = [(number, cases[number]) for number in sorted(hangs)]
        self._queue: deque[tuple[int, Case]] = deque(
            (number, case) for number, case in enumerate(cases) if number not in hangs
        )
        self._results: dict[int, dict[str, Any]] = {}
        self._seq = 0
        self._hung = 0
        self._singly: set[int] = set()
        """Cases of which more must be asked than one question."""
        self._shares = True
        """Whether it has left nothing beside a copy that others shared."""
        self._one_by_one = False
        """Whether it died, or worse, while more than one request was outstanding."""

    async def run(self) -> SubjectRun:
        """Run every case; never raises on account of the implementation."""
        started = time.monotonic()
        if self.subject.unavailable is not None:
            self.outcome.status, self.outcome.because = "unavailable", self.subject.unavailable
            return self.outcome
        await together(
            *(self._worker(number) for number in range(self.workers)),
            *(self._wait_for(number, case) for number, case in self._hangers),
        )
        self.outcome.results = [self._results[number] for number in sorted(self._results)]
        self.outcome.seconds = time.monotonic() - started
        return self.outcome

    def _is_known_to_hang(self, case: Case) -> bool:
        entry = self.subject.known.entries.get((case.vector.id, case.profile))
        return entry is not None and entry.result == "timeout" and not self.subject.one_shot

    async def _wait_for(self, number: int, case: Case) -> None:
        """Ask what is known to hang, in a child of its own, which will have to be killed.

        It takes no turn of those that have something to say: it mostly waits. Nor does it take
        their processors for long, where it hangs in a loop: one that answers after all does so at
        once, or while there is nothing else to do.
        """
        async with self.waiting:
            if self.outcome.status != "ran":
                return
            async with workplace(self.subject, self.limits) as at:
                if await self._started(at) and self._reads(case):
                    later = asyncio.get_running_loop().call_later(AT_ONCE, _step_back, at.child)
                    await self._settle(at, number, case)
                    later.cancel()
                self.progress()

    async def _worker(self, number: int = 0) -> None:
        if number:  # one that helps: after the first of every program
            await asyncio.sleep(0)
        async with self.gate:
            if number and len(self._queue) < WORTH_A_START:
                return
            async with workplace(self.subject, self.limits) as at:
                while self._queue and self.outcome.status == "ran":
                    if at.child is None:
                        if not await self._started(at):
                            return
                        continue  # others may have taken all that was left while it started
                    if isinstance(at.child, Child) and len(several := self._several(at.child)) > 1:
                        await self._ask_ahead(at, at.child, several)
                        continue
                    number, case = self._queue.popleft()
                    if self._reads(case):
                        await self._settle(at, number, case)
                    self.progress()

    async def _started(self, at: Workplace) -> bool:
        """Start a child; whether it says hello."""
        at.child = child = at.another()
        try:
            self.outcome.hello = await child.start()
        except tuple(CLASS_OF_ERROR) as error:
            # One that cannot say hello is broken as a whole: no case can tell more.
            self.outcome.status = "broken"
            self.outcome.because = with_stderr(f"hello: {error}", child.stderr_tail)
            await child.kill()
            at.child = None
        return at.child is not None

    async def _settle(self, at: Workplace, number: int, case: Case) -> None:
        """Ask one case, whose result is then known. Whoever dies of it is gone from its place."""
        assert at.child is not None
        result, alive = await self._run_case(at.child, case, at.scratch)
        if not alive:
            child, at.child = at.child, None
            result = await self._blame(at, child, case, result)
        self._results[number] = with_known(self.subject, result)

    async def _run_case(
        self, child: Conversation, case: Case, scratch: Scratch, patience: int = 1
    ) -> tuple[dict[str, Any], bool]:
        """The result of one case, and whether the child is still there."""
        result = passed(self.subject, case)
        if case.profile not in self.outcome.hello["profiles"]:
            return result | {"class": "skipped", "difference": "not one of its profiles"}, True
        started = time.monotonic()
        try:
            outcomes = [
                outcome
                for step in case.steps()
                if (outcome := await self._run_step(child, case, step, scratch, patience))
                is not None
            ]
            # A request that is skipped does not excuse another one that failed.
            outcomes = [each for each in outcomes if each["class"] == "fail"] or outcomes
            if outcomes:
                result |= outcomes[0] | {"difference": summary(outcomes)}
            alive = True
        except tuple(CLASS_OF_ERROR) as error:
            result |= died(error, case, child.stderr_tail)
            alive = isinstance(error, TooMuch)  # that is found when it has replied
        result["ms"] = round((time.monotonic() - started) * 1000, 3)
        return result, alive

    def _several(self, child: Child) -> list[Numbered]:
        """The next cases, if they may be asked at once: more of them the longer all goes well."""
        most = 1 if self._one_by_one or child.asked < WARM else min(AHEAD, child.asked - WARM + 2)
        found: list[Numbered] = []
        profiles = self.outcome.hello["profiles"]
        while len(found) < most and self._queue and most > 1:
            number, case = self._queue[0]
            known = self.subject.known.entries.get((case.vector.id, case.profile))
            if (
                number in self._singly
                or case.profile not in profiles
                or not self._reads(case)
                or (known is not None and known.result != "fail")
                or case.only_step is None
                or not case.only_step.ahead
            ):
                break
            found.append(self._queue.popleft())
        if len(found) == 1:  # nothing to ask ahead of
            self._queue.appendleft(found[0])
        return found

    async def _ask_ahead(self, at: Workplace, child: Child, several: Sequence[Numbered]) -> None:
        """Ask several cases at once, and judge one reply after the other.

        Who dies is asked one case at a time from then on. A program that has never answered
        several at once may not be able to: then no case is to blame yet, and all without a reply
        are asked again. Else the oldest of these is, as it would be alone.
        """
        asked = placed(several, at.scratch, self._seq + 1, self._shares)
        self._seq += len(asked)
        child.ask_ahead([one.request for one in asked])
        again: list[Numbered] = []
        unseen: list[tuple[int, dict[str, Any]]] = []
        """Right answers about a copy at which nobody has looked since: the last one does."""
        for n, one in enumerate(asked):
            result = passed(self.subject, one.case)
            started = time.monotonic()
            try:
                reply = await child.hear(one.request, one.case.wall_ms, one.case.owed)
            except tuple(CLASS_OF_ERROR) as error:
                self._one_by_one, at.child = True, None
                again += self._seen(unseen, several, is_as_it_was(one))
                again += several[n:]
                if child.answered_several and not isinstance(error, OutOfTurn):
                    again.remove(several[n])
                    result |= died(error, one.case, child.stderr_tail)
                    result["ms"] = round((time.monotonic() - started) * 1000, 3)
                    crowded = n + 1 < len(asked)
                    result = await self._blame(at, child, one.case, result, crowded)
                    self._results[one.number] = with_known(self.subject, result)
                    self.progress()
                for each in asked[n:]:
                    if each.last:
                        at.scratch.clear(each.place)
                break
            if not one.last and self._is_owed(one, reply):
                result["ms"] = round((time.monotonic() - started) * 1000, 3)
                unseen.append((n, result))
                continue
            outcome, more, kept = self._judged(child, one, reply, at.scratch)
            again += self._seen(unseen, several, kept)
            if more:
                self._singly.add(one.number)
                again.append(several[n])
                continue
            result |= outcome or {}
            result["ms"] = round((time.monotonic() - started) * 1000, 3)
            self._results[one.number] = with_known(self.subject, result)
            self.progress()
        else:
            child.answered_several = True
        self._queue.extendleft(reversed(again))

    def _is_owed(self, one: Asked, reply: dict[str, Any]) -> bool:
        """Whether a reply is right, whatever is compared: what damage is signalled, it says not."""
        owed = one.case.owed
        told = owed is not None and reply.get("answer") is owed.answer
        return told and "signals" not in self.outcome.hello["reports"]

    def _seen(
        self, unseen: list[tuple[int, dict[str, Any]]], several: Sequence[Numbered], kept: bool
    ) -> list[Numbered]:
        """Settle answers about a copy, if that was kept; else what is to be asked again."""
        again = [] if kept else [several[n] for n, _ in unseen]
        self._singly.update(number for number, _ in again)
        for n, result in unseen if kept else ():
            self._results[several[n][0]] = with_known(self.subject, result)
            self.progress()
        unseen.clear()
        return again

    def _judged(
        self, child: Child, one: Asked, reply: dict[str, Any], scratch: Scratch
    ) -> tuple[dict[str, Any] | None, bool, bool]:
        """What is not as expected, whether more is to be asked, whether the copy is as it was."""
        outcome: dict[str, Any] | None = None
        judgement: Judgement | None = None
        if "skipped" in reply:
            outcome = {"class": "skipped", "difference": reply["skipped"]}
            kept = not one.shared or is_as_it_was(one)
        else:
            judgement = one.step.judge(reply, one.place, self.outcome.hello["reports"])
            kept = judgement.effect != CHANGED_BY_READING
            if judgement.difference is not None:
                outcome = failed(judgement, child.stderr_tail)
        alone_there = scratch.clear(one.place) if one.last else True
        if one.shared and not alone_there:
            self._shares = False
        if judgement is None or outcome is None:
            # One that declined a copy that another had changed may have declined just that.
            return outcome, one.in_doubt(judgement, alone_there, True) or not kept, kept
        name = one.case.vector.id, one.case.profile
        listed = self.subject.known.matches(*name, outcome["class"], outcome["difference"])
        more = one.in_doubt(judgement, alone_there, listed)
        return outcome, more or one.step.again(one.case, one.place, 0) is not None, kept

    def _reads(self, case: Case) -> bool:
        """Whether the format is one of the implementation's; others are none of its business."""
        formats = self.outcome.hello["formats"]
        return formats == ["*"] or case.vector.body["format"] in formats

    async def _run_step(
        self, child: Conversation, case: Case, step: Step, scratch: Scratch, patience: int
    ) -> dict[str, Any] | None:
        """What is not as expected in one request; ``None`` when all is."""
        place = scratch.place(case.vector.neutral_name)
        step.prepare(place)
        self._seq += 1
        wall_ms = patience * case.wall_ms
        reply = await child.ask(step.request(case, place, self._seq), wall_ms, case.owed)
        if "skipped" in reply:
            scratch.clear(place)
            return {"class": "skipped", "difference": reply["skipped"]}
        hello = self.outcome.hello
        reports = reports_of(hello, reply, self.subject.one_shot)
        # What a one-shot program reports shows only in its answers.
        hello["reports"] += [part for part in reports if part not in hello["reports"]]
        judgement = step.judge(reply, place, reports)
        if judgement.difference is not None:
            more = step.again(case, place, self._seq + 1)
            if more is not None:
                self._seq += 1
                judgement = step.judge(await child.ask(more, wall_ms), place, reports)
        scratch.clear(place)
        if judgement.difference is None:
            return None
        return failed(judgement, child.stderr_tail)

    async def _blame(
        self,
        at: Workplace,
        child: Conversation,
        case: Case,
        result: dict[str, Any],
        crowded: bool = False,
    ) -> dict[str, Any]:
        """Run the culprit alone in a fresh child, if it was not; ``crowded`` says that it was not.

        A crash stays a crash: a process that fell over did fall over, and what is learnt is
        whether the case alone does it. A time-out counts only if it happens again with more
        time: the machine may have been busy, or the program's first request a slow one.
        """
        listed = self.subject.known.matches(
            result["vector"], result["profile"], result["class"], result["difference"]
        )
        slow = result["class"] == "timeout"
        alone = not slow and not crowded and (child.asked == 0 or self.subject.one_shot)
        if listed or alone or (slow and self._hung >= BELIEVED):
            return result
        fresh = at.another()
        try:
            await fresh.start()
            again, _ = await self._run_case(fresh, case, at.scratch, PATIENCE if slow else 1)
        except tuple(CLASS_OF_ERROR):
            return result
        finally:
            await fresh.close()
        if slow and again["class"] != "timeout":
            return again
        self._hung += slow
        if slow:
            return result
        if again["class"] == result["class"]:
            return result | {"difference": again["difference"]}
        return result | {"difference": f"{result['difference']}; alone: {again['class']}"}


def _step_back(child: Conversation | None) -> None:
    if isinstance(child, Child):
        child.step_back()


async def run_subjects(
    subjects: Sequence[Subject],
    cases: Callable[[Subject], Sequence[Case]],
    jobs: int = 2,
    limits: Limits | None = None,
    progress: Callable[[], None] = lambda: None,
) -> list[SubjectRun]:
    """Run every subject, ``jobs`` children at a time over all of them.

    Beside these, ``HANGERS`` times as many are asked what they are known to hang on.
    """
    gate, waiting = asyncio.Semaphore(jobs), asyncio.Semaphore(jobs * HANGERS)
    runners = [
        Runner(subject, cases(subject), jobs, limits, gate, progress, waiting)
        for subject in subjects
    ]
    return await together(*(runner.run() for runner in runners))


def run_subjects_now(*arguments: Any, **options: Any) -> list[SubjectRun]:
    """:func:`run_subjects` for those who do not wait for anything else."""
    return asyncio.run(run_subjects(*arguments, **options))
