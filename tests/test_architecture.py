"""No module imports itself indirectly.

``make lint`` runs ``lint-imports`` with the contract in ``pyproject.toml``, to check that each
package uses only the packages that docs/architecture.md allows.
"""

from __future__ import annotations

import grimp


def test_no_module_imports_itself_indirectly() -> None:
    graph = grimp.build_graph("reference_impl", "conformance", "walproof", "pyspark_journal", "lab")
    cycles = [
        (module, other)
        for module in sorted(graph.modules)
        for other in graph.find_upstream_modules(module)
        if module in graph.find_upstream_modules(other)
    ]
    assert cycles == []
