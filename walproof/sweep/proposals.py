"""Write the simplest case of a finding as a vector, with a recipe for reads and appends."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.contents import digest, size, write_contents
from conformance.recipes.generate import answer_to, dump
from conformance.saving import save
from conformance.vectors import Vector, expand_payload
from walproof.sweep.controls import Control
from walproof.sweep.enumeration import Recipe
from walproof.sweep.findings import Finding
from walproof.sweep.plan import Enumerations
from walproof.sweep.settings import READING
from walproof.sweep.writing import Writer, records_for

#: Keys that a proposal for a write or an append copies from the request.
_OF_WRITERS = ("records", "expect", "after", "accept", "may_refuse", "must_refuse")


class Proposer:
    """A writer of proposals. Group and requirements are those of the control in ``vectors``."""

    def __init__(
        self, enumerations: Enumerations, vectors: Mapping[str, Vector], folder: Path
    ) -> None:
        self.enumerations = enumerations
        self.folder = folder
        self.format = enumerations.plan.format
        self.vectors = {id: v for id, v in vectors.items() if v.body["format"] == self.format}
        self._slugs = {id.partition("/")[2] for id in self.vectors}

    def propose(self, finding: Finding) -> None:
        """Write a proposed vector, or set ``proposal`` to the id of a vector with the same log.

        If the executable specification rejects the context, there is no expected answer and no
        proposal.
        """
        best = finding.best
        assert finding.recipe is not None
        number = self.enumerations.number(best.control)
        bare = self.enumerations.plan.controls[number]
        setting = bare.settings[best.setting]
        control = replace(bare, context=setting.context)
        damaged = self.enumerations[number].make(best.family, best.number)
        assert damaged is not None
        contents, name = damaged.contents, control.name
        if setting.writes:
            new = records_for(self.enumerations[number], setting, best.family, best.number)
            with tempfile.TemporaryDirectory() as scratch:
                writer = Writer(self.format, Path(scratch))
                request = writer.request(control, setting, contents, new).vector
            contents, name = request.contents, request.input.name
            answers = {key: request.body[key] for key in _OF_WRITERS if key in request.body}
        else:
            key = "read", digest(contents), control.context
            for v in self.vectors.values():
                if (v.operation, v.body["sha256"], v.body.get("context", {})) == key:
                    finding.proposal = v.id
                    return
            try:
                answers = {
                    key: answer_to(self.format, contents, control.context, profile, name).to_json()
                    for key, profile in (("expect", "recover"), ("expect_strict", "strict"))
                }
            except ValueError:
                return
        slug = self._slug(finding)
        body = {
            "id": f"{self.format}/{slug}",
            "title": _title(finding),
            "format": self.format,
            "kind": _kind(finding, answers["expect"]["verdict"]),
            "group": self.vectors[control.id].body["group"],
            "requirements": self.vectors[control.id].body["requirements"],
            "operation": "read" if setting.profile in READING else setting.profile,
            # Each log gets its own folder and keeps its file name, which may have a meaning.
            "input": f"{slug}/{name}",
            "sha256": digest(contents),
            "size": size(contents),
            "control": None if setting.profile == "write" else control.id,
            "made_by": {
                "recipe": f"{self.format.replace('-', '_')}.sweep.{slug.replace('-', '_')}",
                "damage": list(finding.recipe.damage),
            },
            "context": dict(control.context),
            **answers,
            "notes": f"Found by the sweep: {finding.signature.implementation}: {best.text}.",
        }
        folder = self.folder / "proposals" / self.format
        (folder / slug).mkdir(parents=True)
        write_contents(contents, folder / slug / name)
        if setting.profile != "write":  # each format builds a new log with different functions
            save(folder / f"{slug}.py", _recipe(finding.recipe, bare, body))
        save(folder / f"{slug}.json", dump(body))
        finding.proposal = f"proposals/{self.format}/{slug}.json"

    def _slug(self, finding: Finding) -> str:
        signature = finding.signature
        field = signature.field.rpartition(".")[2] if "." in signature.field else signature.field
        action = "" if signature.profile in READING else signature.profile
        texts = f"{action} {signature.operation} {field} {signature.reason or signature.verdict}"
        plain = re.sub(r"[^a-z0-9]+", "-", texts.lower()).strip("-")
        slug, number = plain, 1
        while slug in self._slugs:
            number += 1
            slug = f"{plain}-{number}"
        self._slugs.add(slug)
        return slug


def _title(finding: Finding) -> str:
    signature = finding.signature
    assert finding.recipe is not None
    texts = [*finding.recipe.damage, *filter(None, [finding.request])]
    texts += [f"with a different {key}" for key in filter(None, signature.context.split(", "))]
    text = ", then ".join(texts) or "undamaged"
    text = text[:1].upper() + (text[1:] if len(text) < 160 else text[1:157] + "…")
    return f"{text}: {signature.reason or signature.verdict}."


def _kind(finding: Finding, verdict: str) -> str:
    operation = finding.signature.operation
    if operation == "none" and verdict == "intact":
        return "valid"
    return "eof" if operation in ("none", "truncate", "extend", "join") else "corrupt"


def _recipe(recipe: Recipe, control: Control, body: Mapping[str, Any]) -> bytes:
    source, slug = (id.partition("/")[2].replace("-", "_") for id in (control.id, body["id"]))
    decorator = "damaged" if body["operation"] == "read" else "appending"
    arguments = [source, *(repr(text) for text in (body["group"], *body["requirements"]))]
    lines = [*recipe.calls]
    for key in sorted({*control.context, *body["context"]}):
        if key not in body["context"]:
            lines.append(f"del log.context[{key!r}]")
        elif body["context"][key] != control.context.get(key):
            lines.append(f"log.context[{key!r}] = {body['context'][key]!r}")
    for record in map(expand_payload, body.get("records", ())):
        fields = "".join(f", {key}={v!r}" for key, v in record.items() if key != "payload")
        lines.append(f"log.append(bytes.fromhex({record['payload']!r}){fields})")
    expect = body["expect"]
    verb = "expect_refusal" if body.get("must_refuse") else "expect"
    survivors = _survivors([record.payload for record in control.records], expect["records"])
    lines.append(f"log.{verb}({expect['verdict']!r}, {expect['reason']!r}, survivors={survivors})")
    text = (
        f"@BOOK.{decorator}({', '.join(arguments)}, kind={body['kind']!r})\n"
        f'def {slug}(log):\n    """{body["title"]}"""\n'
    )
    return (text + "".join(f"    {line}\n" for line in lines)).encode()


def _survivors(payloads: Sequence[bytes], records: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the numbers of records in the control, or the payloads of new records."""
    numbers = {payload.hex(): number for number, payload in reversed(list(enumerate(payloads)))}
    texts = [record.get("payload", "") for record in records]
    return [numbers.get(text, bytes.fromhex(text)) for text in texts]
