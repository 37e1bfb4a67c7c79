"""Faults as ranges of which none has a byte of another: a kernel."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from walproof.scan.compiled import I64, I64_2D, helper, int64, kernel, types


@helper(int64(I64, int64))
def _free(next_free, cell):
    """The first cell from this one on that nobody has; paths are halved on the way."""
    while next_free[cell] != cell:
        next_free[cell] = next_free[next_free[cell]]
        cell = next_free[cell]
    return cell


@kernel(types.Tuple((I64_2D, int64))(I64_2D, int64), makes_arrays=True)
def disjoint(faults, size):
    """Each fault's bytes that no fault before it has: rows of its number, start and end (SDJ-054).

    ``faults`` are in the order met. Their ends cut the file into cells, and each fault takes the
    cells that are free: what is taken is stepped over, so all faults together take one walk.
    """
    ends = np.empty(2 * faults.shape[0], np.int64)
    for number in range(faults.shape[0]):
        ends[2 * number] = faults[number, 0]
        ends[2 * number + 1] = min(faults[number, 1], size)
    ends.sort()
    cells = 0  # np.unique would reshape, for which the library of kernels has nothing
    for place in range(ends.shape[0]):
        if place == 0 or ends[place] != ends[cells - 1]:
            ends[cells] = ends[place]
            cells += 1
    ends = ends[:cells]
    next_free = np.arange(ends.shape[0] + 1)
    pieces, count = np.empty((2 * faults.shape[0] + 1, 3), np.int64), 0
    for number in range(faults.shape[0]):
        cell = np.searchsorted(ends, faults[number, 0])
        last = np.searchsorted(ends, min(faults[number, 1], size))
        cell = _free(next_free, cell)
        while cell < last:
            start = cell
            while cell < last and next_free[cell] == cell:
                next_free[cell] = cell + 1
                cell += 1
            pieces[count, 0], pieces[count, 1], pieces[count, 2] = number, ends[start], ends[cell]
            count += 1
            cell = _free(next_free, cell)
    return pieces, count
