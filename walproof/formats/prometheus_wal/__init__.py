"""The tally log: the parts that ``walproof.formats`` describes."""
