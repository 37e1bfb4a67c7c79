"""Readers that are tables, which the project's own tests give to the runner of every language."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from pathlib import Path

import pytest
from walproof_vectors.testing import Case, Refused, Request, Skip, Subject, below, cases

FOLDER = os.environ.get("WALPROOF_TABLES")


def of_tables() -> list[Case]:
    found = []
    for path in sorted(Path(FOLDER).glob("*.json")) if FOLDER else ():
        table = json.loads(path.read_text("utf-8"))
        chosen = set(table["vectors"])

        def act(asked: Request, table=table) -> dict:
            return perform(table["acts"], asked)

        subject = Subject(
            read=lambda asked, act=act: answer(act(asked)),
            write=act,
            append=act,
            reports=table["reports"],
            profiles=table["profiles"],
            known=path.with_suffix(".known"),
            choose=lambda vector, chosen=chosen: vector.id in chosen,
            patience=table["patience"],
            results=path.with_suffix(".python"),
        )
        for format in table["formats"]:
            found += cases(format, subject)
    return found


@pytest.mark.parametrize("case", of_tables(), ids=str)
def test_table(case: Case) -> None:
    case.check()


def answer(act: dict) -> dict:
    records = [
        {**one, "payload": bytes.fromhex(one["payload"])} for one in act["answer"]["records"]
    ]
    return {**act["answer"], "records": records}


def perform(acts: dict, asked: Request) -> dict:
    records = [{**one, "payload": one["payload"].hex()} for one in asked.records]
    parts = [
        *(asked.format, asked.profile, asked.path.name),
        *(json.dumps(asked.context, sort_keys=True), contents(asked.path)),
        json.dumps(records, sort_keys=True),
    ]
    act = acts.get(digest("\n".join(parts).encode()))
    if act is None or "skip" in act:
        raise Skip("not in the table" if act is None else act["skip"])
    if "hang" in act:
        while True:
            time.sleep(0.05)
    if "raise" in act:
        raise RuntimeError(act["raise"])
    if "change" in act:
        names = sorted(below(asked.path)) if asked.path.is_dir() else []
        with (asked.path / names[-1] if names else asked.path).open("ab") as log:
            log.write(b"\0")
    if "refuse" in act:
        raise Refused(act["refuse"])
    if "files" in act:
        if asked.path.is_dir():
            shutil.rmtree(asked.path)
        asked.path.unlink(missing_ok=True)
        for name, data in act["files"].items():
            (asked.path.parent / name).parent.mkdir(parents=True, exist_ok=True)
            (asked.path.parent / name).write_bytes(bytes.fromhex(data))
    return act


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def contents(path: Path) -> str:
    if not path.exists():
        return "-"
    if path.is_file():
        return digest(path.read_bytes())
    files = (f"{digest((path / name).read_bytes())}  {name}\n" for name in sorted(below(path)))
    return digest("".join(files).encode())
