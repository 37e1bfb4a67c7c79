"""A small sweep as a program of its own, to be killed: ``plain_run FOLDER CASES``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.walproof.sweep.plans import small_plan
from walproof.sweep import shard_pool
from walproof.sweep.store import Store

if __name__ == "__main__":
    plan = small_plan(cases=int(sys.argv[2]), shard_cases=500)
    store = Store(Path(sys.argv[1]))
    todo = shard_pool.begin(plan, store, False)
    shard_pool.run(plan, store, todo)
    print(json.dumps({"todo": len(todo), "shards": len(plan.shards)}))
