"""The prose lint reports phrases with their line number and ignores code."""

from __future__ import annotations

import pytest

from lab.prose import check

PAGE = """# A page

The reader mends the log; nothing
tells `mend` and [owed](owed.md).

```console
$ mend --in-silence
```
"""
MODULE = '''"""Return a log."""

#: Nobody is told.
LIMIT = 1


def reads() -> bool:
    """Whether a log is read,
    in silence.
    """
'''


def findings(path: str, text: str) -> list[tuple[int, str]]:
    return [(found.line, " ".join(found.phrase.split())) for found in check(path, text)]


def test_phrases_of_a_page_across_lines() -> None:
    assert sorted(findings("docs/page.md", PAGE)) == [
        (3, "mends"), (3, "nothing tells"), (4, "owed"),
    ]  # fmt: skip


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    assert sorted(findings("walproof/module.py", MODULE)) == [(8, "Whether"), (9, "in silence")]


def test_a_length_is_stated_with_is_except_in_titles() -> None:
    text = "The log has at least\n1,024 bytes and has 7 bytes left. It is no log. There is no log."
    assert findings("docs/page.md", text) == [(2, "is no log"), (1, "has at least 1,024 bytes")]
    docstring = '"""The log has 7 bytes."""'
    assert findings("walproof/module.py", docstring) == [(1, "has 7 bytes")]
    assert findings("conformance/recipes/made_up/titles.py", docstring) == []


@pytest.mark.parametrize("text", ["The comment is fixed.", "It recommends amends.", "An owl."])
def test_plain_text_has_no_findings(text: str) -> None:
    assert findings("docs/page.md", text) == []
