"""The types of kernels where numba is absent: as much of ``numba.types`` as signatures use.

A type knows how its values lie in memory, as numba's own code has them: numbers as they are, a
boolean in a byte, tuples as their members one after the other; :mod:`walproof.scan.ahead.calls` has
what an array is.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Signature:
    """What a kernel returns and takes."""

    returns: Any
    takes: tuple[Any, ...]


class _Type:
    def __call__(self, *takes: Any) -> Signature:
        return Signature(self, takes)


@dataclass(frozen=True)
class Number(_Type):
    """A number or a boolean, of the C type ``raw``."""

    raw: Any
    dtype: Any


@dataclass(frozen=True)
class Void(_Type):
    """Nothing, as what is returned."""


@dataclass(frozen=True)
class Array(_Type):
    """A contiguous array; ``readonly`` ones take writable ones as well."""

    of: Number
    ndim: int
    layout: str
    readonly: bool = False


@dataclass(frozen=True)
class Tuple(_Type):
    """Some values, each of its type."""

    of: Sequence[Any]


def UniTuple(of: Any, count: int) -> Tuple:
    """Some values of one type."""
    return Tuple((of,) * count)


def NamedTuple(of: Sequence[Any], cls: Any) -> Tuple:
    """A tuple whose members have names, which do not matter in memory."""
    return Tuple(tuple(of))


void = Void()
boolean = Number(ctypes.c_uint8, np.bool_)
int8, int16 = Number(ctypes.c_int8, np.int8), Number(ctypes.c_int16, np.int16)
int32, int64 = Number(ctypes.c_int32, np.int32), Number(ctypes.c_int64, np.int64)
uint8, uint16 = Number(ctypes.c_uint8, np.uint8), Number(ctypes.c_uint16, np.uint16)
uint32, uint64 = Number(ctypes.c_uint32, np.uint32), Number(ctypes.c_uint64, np.uint64)
intp = int64
