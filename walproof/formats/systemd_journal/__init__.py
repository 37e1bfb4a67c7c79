"""systemd's journal file: the parts that ``walproof.formats`` describes."""
