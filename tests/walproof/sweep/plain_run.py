"""A small sweep as a program of its own, to be killed: ``plain_run FOLDER CASES``."""

from __future__ import annotations

import json
import sys

from tests.walproof.sweep.plans import small_plan
from walproof.sweep import job
from walproof.sweep.store import Store

if __name__ == "__main__":
    plan = small_plan(cases=int(sys.argv[2]), shard=500)
    store = Store(sys.argv[1])
    todo = job.begin(plan, store, False)
    job.run(plan, store, todo, "none")
    print(json.dumps({"todo": len(todo), "shards": len(plan.shards)}))
