"""The resolved model of grammars, as the Kaitai compiler understands them.

``conformance/kaitai/model.mjs`` prints the model. The compiler has resolved types, byte order,
encodings and expressions, so equivalent grammars have equal models. To look up types by the names
of their generated classes without the compiler, use :mod:`conformance.kaitai.types`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from conformance.kaitai.compile import GrammarError, compile_to, run_node

#: Qualified name of a type: ``("leveldb_log", "record_header")``.
Name = tuple[str, ...]
#: A node of the compiler's model: a dict with its class in ``_``, a list, or a plain value.
Node = Any


@dataclass(frozen=True)
class Member:
    """A field, an instance or a parameter of a type.

    ``role`` is ``seq``, ``parse`` (an instance that is read from the log), ``value`` (a computed
    instance) or ``param``. ``path`` is its path in the YAML document.
    """

    owner: Name
    id: str
    role: str
    node: Mapping[str, Any]
    path: Name
    unnamed: bool = False

    @property
    def shown(self) -> str:
        """Qualified name, ``record_header.len_data``; fields of the top-level type without a
        prefix."""
        return ".".join([*self.owner[1:], self.id]) if len(self.owner) > 1 else self.id


@dataclass
class Class:
    """One type: parameters and fields in order, instances by name."""

    name: Name
    path: Name
    params: list[Member]
    seq: list[Member]
    instances: dict[str, Member]

    def member(self, id: str) -> Member | None:
        """Return the member with this name."""
        for member in (*self.seq, *self.params):
            if member.id == id:
                return member
        return self.instances.get(id)


@dataclass
class Model:
    """All types and enums of the grammars in a folder, including imports.

    ``tops`` contains the ids of the grammars. ``files`` contains the path of each grammar, relative
    to ``root``.
    """

    root: Path
    tops: list[str] = field(default_factory=list)
    files: dict[str, Path] = field(default_factory=dict)
    classes: dict[Name, Class] = field(default_factory=dict)
    enums: dict[Name, dict[int, str]] = field(default_factory=dict)
    enum_paths: dict[Name, Name] = field(default_factory=dict)

    @functools.cached_property
    def _documents(self) -> dict[str, tuple[Any, yaml.Node | None]]:
        documents = {}
        for name, file in self.files.items():
            text = (self.root / file).read_text(encoding="utf-8")
            documents[name] = (yaml.safe_load(text), yaml.compose(text))
        return documents

    def meta(self, grammar: str) -> Mapping[str, Any]:
        """Return the ``meta`` section of a grammar."""
        meta: Mapping[str, Any] = self._documents[grammar][0].get("meta", {})
        return meta

    def reachable(self, grammars: list[str]) -> set[str]:
        """Return grammars and everything that they import."""
        reached: set[str] = set()
        waiting = list(grammars)
        while waiting:
            name = waiting.pop()
            if name in self.files and name not in reached:
                reached.add(name)
                waiting += [Path(path).name for path in self.meta(name).get("imports", ())]
        return reached

    def location(self, grammar: str, path: Name, *more: str) -> str:
        """Return ``ksy/x.ksy:12`` for a path in the document of a grammar."""
        if grammar not in self.files:
            return ""
        node = self._documents[grammar][1]
        line = 1
        for key in (*path, *more):
            if isinstance(node, yaml.MappingNode):
                pairs = [(k, v) for k, v in node.value if str(k.value) == key]
                if not pairs:
                    break
                line, node = pairs[0][0].start_mark.line + 1, pairs[0][1]
            elif (
                isinstance(node, yaml.SequenceNode) and key.isdigit() and int(key) < len(node.value)
            ):
                node = node.value[int(key)]
                line = node.start_mark.line + 1
            else:
                break
        return f"{self.files[grammar].as_posix()}:{line}"

    def member_location(self, member: Member, *more: str) -> str:
        """Return ``ksy/x.ksy:12`` for a member."""
        return self.location(member.owner[0], member.path, *more)

    def written(self, member: Member) -> Mapping[str, Any]:
        """Return the source of a member in the YAML document."""
        value = self._documents.get(member.owner[0], (None, None))[0]
        for key in member.path:
            try:
                value = value[int(key)] if isinstance(value, list) else value[key]
            except (KeyError, IndexError, TypeError, ValueError):
                return {}
        return value if isinstance(value, dict) else {}

    def uses(self, name: Name) -> Iterator[tuple[Class, Member, bool]]:
        """Yield each member whose value is of a type, and whether it has a substream of its own."""
        for owner in self.classes.values():
            for member in (*owner.seq, *owner.instances.values()):
                if member.role == "value":
                    continue
                for target, sized in targets(member.node["dataType"]):
                    if target == name:
                        yield owner, member, sized


def load_models(*roots: Path) -> list[Model]:
    """Return the models of all grammars in the folder ``ksy`` of each root.

    Raises ``ToolMissing``, and :class:`~conformance.kaitai.compile.GrammarError` if a grammar does
    not compile.
    """
    files = [sorted((root / "ksy").glob("*.ksy")) for root in roots]
    resolved = _resolved([file for some in files for file in some])
    return [
        _model(root, {file: resolved[str(file)] for file in some})
        for root, some in zip(roots, files, strict=True)
    ]


def _resolved(files: list[Path]) -> dict[str, Any]:
    """Return the compiler's model of each file, by path."""
    if not files:
        return {}
    resolved: dict[str, Any] = json.loads(run_node("model.mjs", [str(file) for file in files]))
    return resolved


def _model(root: Path, resolved: Mapping[Path, Any]) -> Model:
    model = Model(root)
    for path, resolved_file in resolved.items():
        if "error" in resolved_file:
            _explain(path, resolved_file["error"])
        grammar = resolved_file["classes"][0]["name"][0]
        model.files[grammar] = path.relative_to(root)
        model.tops.append(grammar)
        for body in resolved_file["classes"]:
            name = tuple(body["name"])
            if name not in model.classes:
                model.classes[name] = _class(name, body)
        for body in resolved_file["enums"]:
            name = tuple(body["name"])
            model.enums[name] = {int(key["big"]): str(v["name"]) for key, v in body["members"]}
            model.enum_paths[name] = tuple(body["path"])
    return model


def _explain(file: Path, error: str) -> None:
    """Raise the error of a grammar, with line and column if compiling it reports them."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        compile_to("python", [file], Path(folder))
    raise GrammarError(f"{file}: {error}")


def _class(name: Name, body: Mapping[str, Any]) -> Class:
    def member(node: Mapping[str, Any], role: str) -> Member:
        identifier = node["id"]
        unnamed = identifier["_"] == "NumberedIdentifier"
        text = f"(field {identifier['idx']})" if unnamed else str(identifier["name"])
        return Member(name, text, role, node, tuple(node["path"]), unnamed)

    instances = {}
    for _, node in body["instances"]:
        role = "value" if node["_"] == "ValueInstanceSpec" else "parse"
        instance = member(node, role)
        instances[instance.id] = instance
    return Class(
        name,
        tuple(body["path"]),
        [member(node, "param") for node in body["params"]],
        [member(node, "seq") for node in body["seq"]],
        instances,
    )


def targets(data_type: Node) -> Iterator[tuple[Name, bool]]:
    """Yield the types that a data type may refer to, and whether each has a substream of its
    own."""
    node_type = data_type.get("_")
    if node_type == "SwitchType":
        for _, case in data_type["cases"]:
            yield from targets(case)
    elif node_type in ("UserTypeInstream", "UserTypeFromBytes") and data_type.get("classSpec"):
        yield tuple(data_type["classSpec"]["name"]), node_type == "UserTypeFromBytes"
    elif "basedOn" in data_type:
        yield from targets(data_type["basedOn"])


def target(data_type: Node) -> Name | None:
    """Return the type that a data type refers to; None for a switch and for plain values."""
    spec = data_type.get("classSpec") if isinstance(data_type, dict) else None
    return tuple(spec["name"]) if spec else None
