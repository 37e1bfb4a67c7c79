"""Kernels without the compiler: machine code that an earlier process kept.

``numba`` takes half a second to import, and 70 MB. So whoever calls a kernel from Python takes its
module from :func:`ready`. The first process of these very sources imports it, which compiles it,
and keeps the machine code and the constants in one file; those after it load that file with
``llvmlite`` alone. Where that is not possible (a kernel makes arrays, no folder can be written, a
variable of the environment tells numba something), the module itself is imported.
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

import numpy as np

from reference_impl import places
from walproof.scan import ahead

FOLDER = "NUMBA_CACHE_DIR"
SCALARS: dict[str, Any] = {
    "int64": ctypes.c_int64,
    "uint64": ctypes.c_uint64,
    "uint32": ctypes.c_uint32,
    "uint8": ctypes.c_uint8,
    "bool": ctypes.c_uint8,
}
"""Types of numbers, by numba's names, as they are passed."""
_TUPLE = (np.dtype(np.uint8), 0, False)
"""Stands for a tuple where arrays are described."""


def ready(name: str) -> Any:
    """The kernels and constants of a module, by its full name, as attributes of an object."""
    if name in sys.modules or ahead.kernels() != ahead.NUMBA:
        return importlib.import_module(name)
    path = None if _is_told() else _path(name)
    if path is not None:
        with contextlib.suppress(OSError, ValueError, KeyError, RuntimeError):
            return _Stored(name, path.read_bytes())
    module = importlib.import_module(name)
    if path is not None:
        from walproof.scan.storing import store

        store(module, path, SCALARS)
    return module


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
        for kernel, (symbol, arguments, result) in said["kernels"].items():
            address = self._engine.get_function_address(symbol)
            call = _callable(kernel, address, arguments, result)
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


def _callable(name: str, address: int, arguments: Sequence[Any], result: Any) -> Any:
    """A kernel as a function of Python. ``TypeError`` for an argument that it does not take.

    It is called as numba's own code calls it: the place of the result, the place of an exception,
    then the arguments. Of an array come its owner and its parent, of which kernels without
    allocations make no use, the number and the size of its items, its data, its shape and strides.
    """
    types: list[Any] = [ctypes.c_void_p, ctypes.c_void_p]
    plan: list[tuple[np.dtype[Any], int, bool] | None] = []
    for argument in arguments:
        if isinstance(argument, str):
            types.append(SCALARS[argument])
            plan.append(None)
            continue
        item, dimensions, is_written = argument
        if is_written is None:  # a tuple, member by member
            types += [SCALARS[item]] * dimensions
            plan.append(_TUPLE)
            continue
        types += [ctypes.c_void_p] * 2 + [ctypes.c_int64] * 2 + [ctypes.c_void_p]
        types += [ctypes.c_int64] * (2 * dimensions)
        plan.append((np.dtype(item), dimensions, is_written))
    function = ctypes.CFUNCTYPE(ctypes.c_int32, *types)(address)
    count, of = result if isinstance(result, list) else (1, result)
    room = SCALARS["int64" if of == "none" else of] * count
    is_true, is_nothing, is_many = of == "bool", of == "none", isinstance(result, list)

    def call(*given: Any) -> Any:
        if len(given) != len(plan):
            raise TypeError(f"{name}: expected {len(plan)} arguments, found {len(given)}")
        found, fault = room(), ctypes.c_void_p()
        passed: list[Any] = [ctypes.addressof(found), ctypes.addressof(fault)]
        for one, array in zip(given, plan, strict=True):
            if array is None:
                passed.append(int(one))
                continue
            if array is _TUPLE:
                passed += map(int, one)
                continue
            flags = one.flags
            if (
                one.dtype != array[0]
                or one.ndim != array[1]
                or not flags.c_contiguous
                or (array[2] and not flags.writeable)
            ):
                raise TypeError(f"{name}: an array of {one.dtype} in {one.ndim} dimensions")
            place = one.__array_interface__["data"][0]
            passed += [None, None, one.size, one.itemsize, place, *one.shape, *one.strides]
        if function(*passed):
            raise ValueError(f"{name}: it failed")
        if is_many:
            return tuple(found)
        return None if is_nothing else bool(found[0]) if is_true else found[0]

    call.__name__ = call.__qualname__ = name
    return call
