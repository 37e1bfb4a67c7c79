"""Write the simplest case of a finding as a vector: description, input, and a recipe to paste."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from conformance.contents import Contents, by_name, digest, size
from conformance.recipes.generate import answer_to, dump
from conformance.vectors import Vector, expand_payload
from walproof.sweep.controls import Control
from walproof.sweep.findings import Finding
from walproof.sweep.plan import Enumerations
from walproof.sweep.settings import READING
from walproof.sweep.sweep_folder import SweepFolder
from walproof.sweep.writing import Writer, records_for


class Proposer:
    """Write proposals; groups and requirements are copied from similar ``vectors``."""

    def __init__(
        self, enumerations: Enumerations, vectors: Mapping[str, Vector], folder: SweepFolder
    ) -> None:
        self.enumerations = enumerations
        self.folder = folder
        self.format = enumerations.plan.format
        self.vectors = [v for v in vectors.values() if v.body["format"] == self.format]
        self._slugs = {v.id.partition("/")[2] for v in self.vectors}

    def propose(self, finding: Finding) -> None:
        """Write a proposed vector: ``proposals/<format>/<slug>.json``, the input and ``<slug>.py``.

        If a vector with the same log and context exists, the finding gets the id of that vector
        instead.
        """
        best, recipe = finding.best, finding.recipe
        assert recipe is not None
        number = self.enumerations.number(best.control)
        control = self.enumerations.plan.controls[number]
        setting = control.settings[best.setting]
        control = replace(control, context=setting.context)
        damaged = self.enumerations[number].make(best.family, best.number)
        assert damaged is not None
        contents = damaged.contents
        if setting.writes:
            new = records_for(self.enumerations[number], setting, best.family, best.number)
            with tempfile.TemporaryDirectory() as folder:
                writer = Writer(self.format, Path(folder))
                request = writer.request(control, setting, contents, new).vector
            self._write(finding, control, request.contents, request)
            return
        key = "read", digest(contents), control.context
        for v in self.vectors:
            if (v.operation, v.body["sha256"], v.body.get("context", {})) == key:
                finding.proposal = v.id
                return
        # A context that every reader rejects has no answer, such as one with an invalid key.
        with contextlib.suppress(ValueError):
            self._write(finding, control, contents)

    def _write(
        self, finding: Finding, control: Control, contents: Contents, request: Vector | None = None
    ) -> None:
        """Write the files of a proposal; ``request`` is a write or an append."""
        body = self._body(finding, control, contents, self._slug(finding), request)
        folder, slug = f"proposals/{self.format}", str(body["id"]).partition("/")[2]
        for name, data in by_name(contents).items():
            self.folder.write(f"{folder}/{body['input']}{'/' * bool(name)}{name}", data)
        if request is None:
            recipe = self._reading_recipe(finding, control, body)
        else:
            recipe = _writing_recipe(finding, body)
        self.folder.write(f"{folder}/{slug}.py", recipe)
        self.folder.write(f"{folder}/{slug}.json", dump(body))
        finding.proposal = f"{folder}/{slug}.json"

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

    def _body(
        self,
        finding: Finding,
        control: Control,
        contents: Contents,
        slug: str,
        request: Vector | None,
    ) -> dict[str, Any]:
        recipe, signature = finding.recipe, finding.signature
        assert recipe is not None
        old = control.name if request is None else request.input.name
        stem = control.path.stem if request is None else request.path.stem
        # A meaningful name is preserved in its own folder.
        has_meaning = not old.startswith(stem)
        name = old if has_meaning else slug + PurePath(old).suffix
        if request is None:
            answers: dict[str, Any] = {
                key: answer_to(self.format, contents, control.context, profile, name).to_json()
                for key, profile in (("expect", "recover"), ("expect_strict", "strict"))
            }
        else:
            answers = {key: request.body[key] for key in _OF_WRITERS if key in request.body}
            answers["after"] = _renamed(answers["after"], old, name)
            if "accept" in answers:
                answers["accept"] = [
                    {**other, "after": _renamed(other["after"], old, name)}
                    for other in answers["accept"]
                ]
        operation = "read" if request is None else request.operation
        expect = answers["expect"]
        similar = self._similar_vectors(control, operation, expect["verdict"], expect["reason"])
        texts = list(recipe.damage)
        texts += [finding.request] if finding.request else []
        texts += [f"with a different {key}" for key in filter(None, signature.context.split(", "))]
        kind = "eof" if signature.operation in ("none", "truncate", "extend") else "corrupt"
        if signature.operation == "none" and expect["verdict"] == "intact":
            kind = "valid"
        return {
            "id": f"{self.format}/{slug}",
            "title": f"{_sentence(texts)}: {signature.reason or signature.verdict}.",
            "format": self.format,
            "kind": kind,
            "group": Counter(v.body["group"] for v in similar).most_common(1)[0][0],
            "requirements": _shared_requirements(similar),
            "operation": operation,
            "input": f"{slug}/{name}" if has_meaning else name,
            "sha256": digest(contents),
            "size": size(contents),
            "control": None if operation == "write" else control.id,
            "made_by": {
                "recipe": f"{self.format.replace('-', '_')}.sweep.{slug.replace('-', '_')}",
                "damage": list(recipe.damage),
            },
            "context": dict(control.context),
            **answers,
            "notes": f"Found by the sweep: {signature.implementation}: {finding.best.text}.",
        }

    def _similar_vectors(
        self, control: Control, operation: str, verdict: str, reason: str | None
    ) -> Sequence[Vector]:
        """Return similar vectors, which provide the group and the requirements for a proposal.

        For a read, similar vectors have the same verdict and reason, and the same control if
        possible.
        """
        if operation != "read":
            return [v for v in self.vectors if v.operation == operation]

        def likeness(vector: Vector) -> int:
            expect = vector.body.get("expect", {})
            answered = (expect.get("verdict"), expect.get("reason")) == (verdict, reason)
            is_itself = vector.id == control.id
            is_sibling = is_itself or vector.control == control.id
            return 2 * answered + is_sibling + (is_itself and answered)

        read = [v for v in self.vectors if v.operation in ("read", "truncations")]
        best = max(map(likeness, read))
        return [vector for vector in read if likeness(vector) == best]

    def _reading_recipe(self, finding: Finding, control: Control, body: Mapping[str, Any]) -> bytes:
        """Return a recipe function for ``conformance/recipes``."""
        recipe = finding.recipe
        assert recipe is not None
        payloads = [record.payload for record in control.records]
        survivors = _survivors(payloads, body["expect"]["records"])
        slug = str(body["id"]).partition("/")[2].replace("-", "_")
        source = control.id.partition("/")[2].replace("-", "_")
        needs = ", ".join(repr(text) for text in [body["group"], *body["requirements"]])
        expect = body["expect"]
        lines = [
            f"@BOOK.damaged({source}, {needs}, kind={body['kind']!r})",
            f"def {slug}(log):",
            f'    """{body["title"]}"""',
            *(f"    {call}" for call in recipe.calls),
            *(f"    {line}" for line in _context_lines(finding, control)),
            f"    log.expect({expect['verdict']!r}, {expect['reason']!r}, survivors={survivors})",
        ]
        return ("\n".join(lines) + "\n").encode()


def _context_lines(finding: Finding, control: Control) -> list[str]:
    """Return recipe lines that change the context."""
    keys = filter(None, finding.signature.context.split(", "))
    return [
        f"log.context[{key!r}] = {control.context[key]!r}"
        if key in control.context
        else f"del log.context[{key!r}]"
        for key in keys
    ]


#: Keys of a vector that writes or appends.
_OF_WRITERS = ("records", "expect", "after", "accept", "may_refuse", "must_refuse")


def _renamed(after: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    """Return the postconditions of a writer for a log of another name."""
    files = [{**file, "name": new + file["name"].removeprefix(old)} for file in after["files"]]
    return {**after, "files": files}


def _writing_recipe(finding: Finding, body: Mapping[str, Any]) -> bytes:
    """Return recipe lines that write or append."""
    recipe = finding.recipe
    assert recipe is not None
    lines = [
        f"# {body['title']}",
        *recipe.calls,
        *(f"log.context[{key!r}] = {value!r}" for key, value in body["context"].items()),
    ]
    for record in map(expand_payload, body["records"]):
        fields = "".join(f", {key}={v!r}" for key, v in record.items() if key != "payload")
        lines.append(f"log.append(bytes.fromhex({record['payload']!r}){fields})")
    expect = body["expect"]
    verb = "expect_refusal" if body.get("must_refuse") else "expect"
    lines.append(f"log.{verb}({expect['verdict']!r}, {expect['reason']!r})")
    return ("\n".join(lines) + "\n").encode()


def _survivors(payloads: Sequence[bytes], records: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the expected records as numbers of the control's records, or as new payloads."""
    numbers = {payload.hex(): number for number, payload in reversed(list(enumerate(payloads)))}
    texts = [record.get("payload", "") for record in records]
    return [numbers.get(text, bytes.fromhex(text)) for text in texts]


def _shared_requirements(vectors: Sequence[Vector]) -> list[str]:
    """Return at most three requirements that most of these vectors exercise."""
    counts = Counter(id for vector in vectors for id in vector.body["requirements"])
    return sorted(id for id, count in counts.items() if 2 * count > max(counts.values()))[:3]


def _sentence(damage: Sequence[str]) -> str:
    text = ", then ".join(damage) or "undamaged"
    return text[:1].upper() + (text[1:] if len(text) < 160 else text[1:157] + "…")
