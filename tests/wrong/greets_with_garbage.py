"""Wrong: its hello has no formats and a profile that there is not."""

from by_hand import say

say('{"name": "greets-with-garbage", "version": 1, "profiles": ["everything"]}\n')
