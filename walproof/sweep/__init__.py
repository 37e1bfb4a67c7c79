"""``walproof sweep``: damage logs systematically and compare every answer."""
