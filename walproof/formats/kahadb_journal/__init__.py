"""KahaDB's journal: the parts that ``walproof.formats`` describes."""
