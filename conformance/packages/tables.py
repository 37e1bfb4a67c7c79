"""Readers that are tables: what to say about each log, right or wrong in a way that is known.

The same table answers in every language, and as a program under ``walproof check``. So a runner of
one language can be compared with the harness, result by result (:mod:`.crosscheck`). A table knows
a log by :func:`key`, never by its vector. What it does is an act::

    {"answer": …}            the answer
    {"answer": …, "change": true}    the same, after a byte was added to the log
    {"files": {name: hex}}   what a write or an append leaves in the folder of the log: nothing else
    {"refuse": why}, {"skip": why}, {"raise": why}, {"hang": true}
"""

from __future__ import annotations

import copy
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.cases import AppendStep, Case, ReadStep, Step, cases_of
from conformance.contents import Contents, digest, read_contents, write_contents
from conformance.vectors import Vector
from reference_impl.answer import NewRecord, collect
from reference_impl.formats import named

Act = dict[str, Any]
Json = dict[str, Any]

LARGEST = 1 << 20
"""Characters of JSON of an act; a longer one would test the memory of everybody."""


def key(format: str, profile: str, name: str, asked: Json, contents: Contents | None) -> str:
    """What a request is known by: not by its vector. ``asked`` is its context and records."""
    parts = (
        format,
        profile,
        name,
        json.dumps(asked["context"], sort_keys=True),
        "-" if contents is None else digest(contents),
        json.dumps(asked["records"], sort_keys=True),
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def table(
    name: str, reports: Sequence[str], profiles: Sequence[str], chosen: Iterable[Vector], wrong: int
) -> Json:
    """A table for these vectors, of which one act in ``wrong`` is as it should be, or all for 0."""
    vectors = list(chosen)
    acts: dict[str, Act] = {}
    hung = False
    for case in cases_of(vectors, profiles):
        for step in case.steps():
            asked = {
                "context": case.vector.body.get("context", {}),
                "records": case.vector.records_to_write() if _writes(case) else [],
            }
            contents = _given(case, step)
            of = case.vector.body["format"]
            known_by = key(of, case.profile, case.vector.neutral_name, asked, contents)
            act, number = _right(case, step, known_by), int(known_by[:8], 16)
            if wrong and number % wrong and not _is_long(act):
                faults = WRITING if _writes(case) else READING
                act = faults[number // wrong % len(faults)](copy.deepcopy(act), case, step)
            if wrong and not hung and case.wall_ms < 1000:
                act, hung = {"hang": True}, True  # one is enough, it takes its time
            if not _is_long(act):
                acts.setdefault(known_by, act)
    return {
        "name": name,
        "formats": sorted({vector.body["format"] for vector in vectors}),
        "vectors": [vector.id for vector in vectors],
        "reports": list(reports),
        "profiles": list(profiles),
        "patience": 5,
        "acts": acts,
    }


def _is_long(act: Act) -> bool:
    return len(json.dumps(act)) > LARGEST


def _writes(case: Case) -> bool:
    return case.profile in ("write", "append")


def _given(case: Case, step: Step) -> Contents | None:
    if isinstance(step, ReadStep):
        return step.contents
    return case.vector.contents if isinstance(step, AppendStep) else None


def _right(case: Case, step: Step, known_by: str) -> Act:
    if not isinstance(step, ReadStep):
        return _left(case, step)
    answer: Json = {**copy.deepcopy(dict(step.expect)), "signals": []}
    if any("payload_sha256" in record for record in answer["records"]):
        answer["records"] = _in_full(case, step)
    said = answer["verdict"] in ("damaged", "refused")
    if said or (answer["verdict"] == "torn" and known_by[-1] in "02468ace"):
        answer["signals"] = [f'this is {answer["verdict"]}: "{known_by[:4]}" é']
    return {"answer": answer}


def _in_full(case: Case, step: ReadStep) -> list[Json]:
    """The records with their payloads, where a vector has hashes."""
    with tempfile.TemporaryDirectory(prefix="walproof-table-") as folder:
        place = Path(folder) / case.vector.neutral_name
        write_contents(step.contents, place)
        context = case.vector.body.get("context", {})
        of = named(case.vector.body["format"])
        records = collect(of.read(place, case.profile, context)).records
    given = []
    for record in records:
        shown = record.to_json()
        shown.pop("payload_sha256", None)
        given.append({**shown, "payload": record.payload.hex()})
    return given


def _left(case: Case, step: Step) -> Act:
    """What the executable specification leaves of a write or an append."""
    vector = case.vector
    with tempfile.TemporaryDirectory(prefix="walproof-table-") as folder:
        place = Path(folder) / vector.neutral_name
        step.prepare(place)
        records = [
            NewRecord(bytes.fromhex(one["payload"]), one) for one in vector.records_to_write()
        ]
        of, context = named(vector.body["format"]), vector.body.get("context", {})
        try:
            (of.append if case.profile == "append" else of.write)(place, records, context)
        except ValueError as error:
            return {"refuse": str(error).replace(folder, "…")}
        found = read_contents(Path(folder))
    assert not isinstance(found, bytes)
    return {"files": {name: data.hex() for name, data in found.items()}}


Fault = Callable[[Act, Case, Step], Act]


def _answers(change: Callable[[Json], object]) -> Fault:
    def fault(act: Act, case: Case, step: Step) -> Act:
        change(act["answer"])
        return act

    return fault


def _records(change: Callable[[list[Json]], object]) -> Fault:
    """A fault of the records, where there are some."""
    return _answers(lambda answer: change(answer["records"]) if answer["records"] else None)


def _lost(change: Callable[[list[Json]], object]) -> Fault:
    return _answers(lambda answer: change(answer["lost"]) if answer["lost"] else None)


def _one_more(records: list[Json]) -> None:
    records.append(dict(records[-1]))


def _another_payload(records: list[Json]) -> None:
    records[-1]["payload"] = ("00" if records[-1]["payload"][:2] != "00" else "ff") + records[-1][
        "payload"
    ][2:]


def _longer_payload(records: list[Json]) -> None:
    records[0]["payload"] += "00"


def _moved(records: list[Json]) -> None:
    records[-1]["at"] += 1


def _resized(records: list[Json]) -> None:
    records[0]["size"] -= 1


def _another_field(records: list[Json]) -> None:
    own = sorted(records[0].keys() - {"at", "size", "payload"})
    for name in own[:1]:
        value = records[0][name]
        records[0][name] = value + "0" if isinstance(value, str) else {"was": value}


def _without_a_field(records: list[Json]) -> None:
    own = sorted(records[-1].keys() - {"payload"})
    del records[-1][own[-1]]


def _merged(lost: list[Json]) -> None:
    """Halves of a range that meet: other ranges, the same bytes."""
    first = lost[0]
    middle = (first["from"] + first["to"]) // 2
    lost[:1] = [{**first, "to": middle}, {**first, "from": middle}]


def _wider(lost: list[Json]) -> None:
    lost[-1]["to"] += 1


def _other_reason(lost: list[Json]) -> None:
    lost[0]["reason"] = "because"


def _other_verdict(answer: Json) -> None:
    answer["verdict"] = "intact" if answer["verdict"] == "damaged" else "damaged"


def _other_end(answer: Json) -> None:
    answer["end"] = 7 if answer["end"] != 7 else None


def _other_signals(answer: Json) -> None:
    answer["signals"] = [] if answer["signals"] else ["a word\x7f\U0001f980"]


def _accepted(act: Act, case: Case, step: Step) -> Act:
    assert isinstance(step, ReadStep)
    for other in step.accept:
        return {"answer": {**copy.deepcopy(dict(other)), "signals": act["answer"]["signals"]}}
    return act


READING: list[Fault] = [
    _records(lambda records: records.pop(0)),
    _records(lambda records: records.pop()),
    _records(_one_more),
    _records(lambda records: records.reverse()),
    _records(_another_payload),
    _records(_longer_payload),
    _records(_moved),
    _records(_resized),
    _records(_another_field),
    _records(_without_a_field),
    _lost(lambda lost: lost.pop()),
    _lost(_merged),
    _lost(lambda lost: lost.reverse()),
    _lost(_wider),
    _lost(_other_reason),
    _answers(_other_verdict),
    _answers(_other_end),
    _answers(_other_signals),
    _answers(lambda answer: answer.update(reason="because")),
    _answers(lambda answer: answer.pop("end")),
    _answers(lambda answer: answer.pop("reason")),
    _accepted,
    lambda act, case, step: act,
    lambda act, case, step: {**act, "change": True},
    lambda act, case, step: {"skip": "not today"},
    lambda act, case, step: {"raise": "it fell over"},
]
"""What a reader may do otherwise, right or wrong: the harness says which."""


def _files(change: Callable[[dict[str, str]], object]) -> Fault:
    def fault(act: Act, case: Case, step: Step) -> Act:
        if act.get("files"):
            change(act["files"])
        return act

    return fault


def _cut(files: dict[str, str]) -> None:
    name = max(files)
    files[name] = files[name][:-2]


def _flipped(files: dict[str, str]) -> None:
    name = min(files)
    files[name] = files[name][:-2] + ("00" if files[name][-2:] != "00" else "ff")


WRITING: list[Fault] = [
    _files(_cut),
    _files(_flipped),
    _files(lambda files: files.update({"left-over.tmp": "00"})),
    _files(lambda files: files.pop(max(files))),
    lambda act, case, step: act,
    lambda act, case, step: {"refuse": "not this one"},
    lambda act, case, step: {"refuse": "not this one", "change": True},
    lambda act, case, step: {"files": {}},
    lambda act, case, step: {"skip": "not today"},
    lambda act, case, step: {"raise": "it fell over"},
]
"""What a writer may do otherwise."""


class Fell(Exception):
    """What an act raises: it ends a program."""


def perform(act: Mapping[str, Any], path: Path) -> None:
    """What an act does to the disk; of a read, of a refusal, and of what is done."""
    if act.get("change"):
        files = {one.relative_to(path).as_posix(): one for one in path.rglob("*") if one.is_file()}
        with (files[max(files)] if files else path).open("ab") as log:
            log.write(b"\0")
    if "files" in act:
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        for name, data in act["files"].items():
            (path.parent / name).parent.mkdir(parents=True, exist_ok=True)
            (path.parent / name).write_bytes(bytes.fromhex(data))
