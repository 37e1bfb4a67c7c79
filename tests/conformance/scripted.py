"""Implementations under test that answer in this process, and functions that run them."""

from __future__ import annotations

from conformance.baselines import BASELINES
from conformance.case_runner import run_programs
from conformance.checked_program import CheckedProgram
from conformance.known_failures import KnownFailures


def by_slug(run):
    return {result["vector"].split("/")[1]: result for result in run.results}


def run(subject, cases, jobs=1, **options):
    (done,) = run_programs([subject], lambda _: cases, jobs, **options)
    return done


class Scripted:
    """A subject without a program, like a baseline. A function returns its results or raises."""

    def __init__(self, script, hello):
        self.script = script
        self.more = hello

    def hello(self):
        return {**BASELINES[0].hello(), "reports": ["records"], **self.more}

    def reply(self, request):
        answer = self.script(request)
        return answer if "seq" in answer else {"seq": request["seq"], "answer": answer}


def scripted(reply, known=None, **hello):
    return CheckedProgram("s", "s", (), known or KnownFailures(), baseline=Scripted(reply, hello))


def nothing(request):
    return {"records": []}


def never(request):
    raise AssertionError("asked")
