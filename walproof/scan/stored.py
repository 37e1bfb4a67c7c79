"""Kernels without the compiler: machine code that an earlier process kept.

``numba`` takes half a second to import, and 70 MB. So whoever calls a kernel from Python takes its
module from :func:`ready`. The first process of these very sources imports it, which compiles it,
and keeps the machine code and the constants in one file; those after it load that file with
``llvmlite`` alone. Where that is not possible (no folder can be written, a variable of the
environment tells numba something), the module itself is imported.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reference_impl import places
from walproof.scan import ahead
from walproof.scan.ahead import calls, signatures

FOLDER = "NUMBA_CACHE_DIR"
SCALARS = {
    "int8": signatures.int8,
    "int32": signatures.int32,
    "int64": signatures.int64,
    "uint8": signatures.uint8,
    "uint16": signatures.uint16,
    "uint32": signatures.uint32,
    "uint64": signatures.uint64,
    "bool": signatures.boolean,
}
"""Types of numbers, by numba's names, as they are passed."""


@functools.cache
def ready(name: str) -> Any:
    """The kernels and constants of a module, by its full name, as attributes of an object."""
    if name in sys.modules or ahead.kernels() != ahead.NUMBA:
        return importlib.import_module(name)
    path = None if _is_told() else _path(name)
    if path is not None:
        with contextlib.suppress(OSError, ValueError, KeyError, RuntimeError):
            return _Stored(name, path.read_bytes())
    if path is not None:
        _say_once()
    module = importlib.import_module(name)
    if path is not None:
        from walproof.scan.storing import store

        store(module, path, SCALARS)
    return module


def kept() -> list[str]:
    """The modules whose machine code fits here and need not be compiled, by full names."""
    if ahead.kernels() != ahead.NUMBA or _is_told():
        return []
    names = sorted({one.name.rpartition("-")[0] for one in cache().glob("*.stored")})
    return [name for name in names if (path := _path(name)) is not None and path.exists()]


@functools.cache
def _say_once() -> None:
    """Tell somebody who sits before a terminal why nothing happens for half a minute."""
    if os.isatty(2):
        print("compiling for this machine, which later runs need not do", file=sys.stderr)


@functools.cache
def cache() -> Path:
    """The folder for kernels of these very sources; it need not exist, nor be writable."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(here.rglob("*.py")):
        digest.update(path.read_bytes())
    if told := os.environ.get(FOLDER):
        base = Path(told)
    elif not places.IS_INSTALLED and os.access(
        beside if (beside := here / "__pycache__").exists() else here, os.W_OK
    ):
        base = beside  # which may be written where the folder around it may not
    else:
        base = places.cache()
    return base / f"kernels-{digest.hexdigest()[:16]}"


def _is_told() -> bool:
    """Whether the environment tells numba how to compile."""
    return any(name.startswith("NUMBA_") and name != FOLDER for name in os.environ)


def _path(name: str) -> Path | None:
    """Where the machine code of a module is kept: for its source, compiler, and processor."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return None
    try:
        versions = [importlib.metadata.version(one) for one in ("numba", "llvmlite", "numpy")]
    except importlib.metadata.PackageNotFoundError:
        return None
    processor = _processor()
    told = "\n".join([sys.version, *versions, *processor]).encode()
    digest = hashlib.sha256(Path(spec.origin).read_bytes() + told).hexdigest()[:16]
    return cache() / f"{name}-{digest}.stored"


@functools.cache
def _processor() -> Sequence[str]:
    import llvmlite.binding as llvm

    return (
        llvm.get_process_triple(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
    )


class _Stored:
    """A module that was kept: its kernels, its constants; what was not kept is imported."""

    def __init__(self, name: str, kept: bytes) -> None:
        head, _, code = kept.partition(b"\n")
        said = json.loads(head)
        if hashlib.sha256(code).hexdigest() != said["sha256"]:
            raise ValueError(name)
        self._name = name
        for constant, value in said["constants"].items():
            setattr(self, constant, tuple(value) if isinstance(value, list) else value)
        self._engine = _loaded(code)
        back = self._engine.get_function_address(calls.GIVE_BACK)
        give_back = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(back)
        for kernel, (symbol, takes, returns) in said["kernels"].items():
            address = self._engine.get_function_address(symbol)
            function = ctypes.CFUNCTYPE(ctypes.c_int32)(address)
            signature = signatures.Signature(_kind(returns), tuple(map(_kind, takes)))
            call: Any = calls.callable_at(kernel, function, signature, give_back)
            call.engine = self._engine  # which frees the code when nobody holds it any more
            setattr(self, kernel, call)

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self._name), name)


def _loaded(code: bytes) -> Any:
    """An engine that holds this object file."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def _kind(said: Any) -> Any:
    """What a kernel takes or returns, as :mod:`walproof.scan.ahead.calls` knows it."""
    if said == "none":
        return signatures.void
    if isinstance(said, str):
        return SCALARS[said]
    if isinstance(said, dict):
        return signatures.Tuple([_kind(one) for one in said["of"]])
    item, dimensions, is_written = said
    return signatures.Array(SCALARS[item], dimensions, "C", readonly=not is_written)
