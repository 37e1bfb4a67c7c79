"""Subjects that answer in this process, and functions that run them."""

from __future__ import annotations

from conformance.baselines import BASELINES
from conformance.known_failures import KnownFailures
from conformance.runner import run_subjects
from conformance.subject import Subject


def by_slug(run):
    return {result["vector"].split("/")[1]: result for result in run.results}


def run(subject, cases, jobs=1, **options):
    (done,) = run_subjects([subject], lambda _: cases, jobs, **options)
    return done


class Scripted:
    """A subject in this process, like a baseline: a function returns its results or raises."""

    def __init__(self, script, hello):
        self.script = script
        self.more = hello

    def hello(self):
        return {**BASELINES[0].hello(), "reports": ["records"], **self.more}

    def reply(self, request):
        answer = self.script(request)
        return answer if "seq" in answer else {"seq": request["seq"], "answer": answer}


def scripted(reply, known=None, **hello):
    return Subject("s", "s", (), known or KnownFailures(), baseline=Scripted(reply, hello))


def nothing(request):
    return {"records": []}


def never(request):
    raise AssertionError("asked")
