"""The damaged logs for databases are as expected, and so are the items to return."""

from __future__ import annotations

import pytest

from lab.databases.damaged_logs import formats
from lab.databases.judge import expected_items
from lab.databases.open_cases import cases_of
from lab.databases.page import scenarios


@pytest.mark.parametrize("format_id", formats())
def test_only_the_first_log_is_undamaged(format_id: str) -> None:
    first, *others = cases_of(format_id)
    assert (first.id, first.log, list(first.operations)) == ("none", first.control, [])
    sound = expected_items(format_id, first)
    assert sound.verdict == "intact" and sound.left == sound.written and sound.written
    assert len({case.id for case in others}) == len(others) >= 8
    for case in others:
        assert case.scenario in scenarios(), case.id
        assert case.log != case.control and case.operations, case.id
