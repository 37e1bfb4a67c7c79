"""Reading a journal does not end."""

import base64
import io
import logging
import signal
import types
import zlib

from dissect.target.plugins.os.unix.log.journal import JournalFile

JOURNAL = (  # a journal file of 7928 bytes, by zlib and Base64
    "eNrdmXtQlFUYxheBdVVQA8FNAaHMGUliAYUlITcTXVIBwdRCEVQE8gLaqHhf0dE10Si7oGky3TCdFEWFYVLXC7iW"
    "F9TRmJxSSw0dR1dNxGLswneeb/ze7+wemv5r/zl+7vnO/s7zPu97LoxIGZ5mNqeaNeQzL2t6wez8/KlhU/OmZ4fl"
    "TZGfZ2RNzs2bme32bELO6u0n76Cl/XVu0jiOQKnNZc8WNr6ePZvYszVIakex5yDSsu6aZnf2D1OQvndHrcZ0qOHp"
    "f1rLkeOtXZ5hX7uT+XixVkvGy+yi0fj83Xqy5xTWNrRTtqLPONZvHPthD/b/Jax1PCW1hUwPc1c2n55s/uz96gCp"
    "rddJrd1Xag1swGY9G4cBG9lzI5tQYQ/2Hr4PUs43j7W34ya5Fe/bPEpHhLKyZ5OnUv+Jg5OTR09MHBJviIiM6j8g"
    "OsYYmzVp8pTsqfSZ9YdsBtYu/HJWQFxQbT70AS/GBV8ya7/d+MoXr25Kbsn04vNpSBxHJqSlvTwsIT43e/r0/GCD"
    "/PvhrLV57oo5nJlgxXvQhb0nj/Mqa6ObwkccSNr/Z7U///fN7aW2I3yTmpicmjj69XgDf/6fjdUUePd5OBTjID54"
    "D9MqIPOSfT64i/T/JO98Ujo3Fk7JT4WeiCv8BB0RZ8wLeWAkeYX51TO/6VnHBq2SC3Hq57fNV7dHl2TxUPoY77uO"
    "U4RK937lG6Oqzk6+Y2H66ghPqc6J7hHKvC8gPjQVhbXqaFkRxNXx9rrUkKj6JgfVEXlH5wlOqmNJB9f61bfn67j3"
    "RvjsioLemVatMt/xvmsdI1U6lg/tnbg293Z1MBPKQsZr7OBEx0i+jni2HI1r1dFWF8bVsWV93ou7doxdTXVEvcI8"
    "4X9wUj3ii/duWhk4q7Ksk7LeNbRJjygVP+xo045o5dd0iOfyXxvafGbPtVGBlJ/mD+IETuqDAl8lbwETuoLVM0dn"
    "vg/Gm79f2OelxsrLrL+V+Mb1vPur5o11TZOYLtWR4SO48/7kXHhi4Bv+3nTe1O/IS3Bi3uOeWE+f5A3uoJy/gcXT"
    "0UmpR4E3+76zcp2GntZuynExDt4r7crXc83ZnDTPupoirKMWwuVazwEqPcFlWvOmVE/WpnP1PLw1pKeH/vg0qif1"
    "PdZ5cFI9dU/9Nx0dTvQs81OOi3HwnsmHr+fS7Lp7R85U9sX6CX5wudYzWqUnbG05OV+qK6ff5OpZvnPNwbt9168S"
    "5SXqHTgp/zcDF07YPvLI0mCmUzDR0zV/jIpfh7rSZbVUV3wWcPmXlC3PL+kbf0iUX8h7cFL+BK3uD587ORllLE7o"
    "72gTv1HFL6dBaqlUH0av5vJ7LUqq9I3oViXyM+o1OCn/22vXlO+/08dY2J35kPjXNX+sih+2M71fLuXjh6Vc/tRh"
    "dTff6a79UOQf7DfB6UbOBV7negXU1kcPu8z8k0nyTrDfMVB+hM1yYZ/k/4ZyLv8p868vPN5jfyTyD3wNTso/PqVy"
    "UNG7ezybkf+kXgj4Iyg/wmbT10n+71nF5fcLfTBvefKxWyL/QFdwUv5az1RbyoE3Ll5m6wH6O9rGH0n55bCln5f8"
    "P6GOyx94utfaSUMXzBH5B3kJTtTdRnJeBC/WLdRbDVun9Gx+BhYnMzuH6Fje2FlrZec/89Pse5z/WGtl50szO1fq"
    "2PnTHqg8d//XD43TjRl5J64/8v6ugs2rjMxXEKcoGieE17T5qpTnW85z4/R807uPf9x8f44oT3D+BqezOP1f4uMs"
    "TrnFw9ebjdOs9F5Cnq/rOPWnceqCenbpvlTPrlzlximkyfti4nV9lqge4N4EnJQ/9tJI/4plJwbiHgX9EScB/wDK"
    "D3vaQtxb75U0vX/j8l/x06QXzb/1gagewP/gpPs7+eOr9BF8A5/AF22Nq3t6y5DMJJ3sHnDAtwJdoqkukFUzxadV"
    "F9NUdzeeLodsHnPTQ5vKRPmH/Tg4nekCXuQV8gh5Y/+XugzYOXmZ+d5HY3FvJt+v+bVJlxiqC9LE9GWIdA+51Yer"
    "y6Lzzx1P7Hf1gHD966bkdKYLeFFnUFdQR0R1g+ryuXfHs2m3PjfgfhEcZv826WKkuiD9LI2GVl1sN0P4uhwbtiWr"
    "24pPRHmE/Qo4Kf9LqxzbHm3ctLma+QP94RsBfyzlR5rYQk1SHQiL4PK3BOhKDz+e9KzI77hHBCflb2cvm3e6/zyj"
    "kfka/e1t4o9U7StlO89IlvI138TlH777+qBTNz3OiHyJ/To4Kf+PS3v8eW5MWi1+tpCsfwJ+1b4StjPtzJDyalcy"
    "l99z79jdV3a8NU3kH+Q7OCn/Ny32tIjQ8BT5fpis2wJ+1b4SYbPcnSH5/34Gl39JjiGrY9KZ2yL/IC/BSfkzFvkH"
    "5GWs9ML9P/qjLgj4VfsthM0WtVjyf/RMLn93bcroXMuDayL/IC/BSfl/2rTg8rEetz4FJ/rb28av2ofIYZtbLPm/"
    "cDGXXzsm5usHP5/wEvkHuoKT8od2qn3tvbhenfD3m0KyvxPwq/YhmLap+mPJ/zXFXP7Gkvicr8Zd2SvyD+oKOCn/"
    "fGtUozFlg7zMG8m+VMCv2i9g2pbft0n+b/mYy2+4N6csdt3NZpF/sL8DJ+Xfdqym66eFFfh5+e9qdN/khF+1rmPa"
    "trgayf+DtnP5Z3s/nFBiKflJ5B/4ApyUX98na0LV7IODZP8H8Pc3TvhV66/82tLjkv+X1XD5f9i/Ib/Y/+VlIv/g"
    "fABOyr9lw5wxq/pWFcn138n5xQm/av3Fa/Tvu5T/wi9RQSsfHhXes+K+Epx/AVFySGo="
)
file = io.BytesIO(zlib.decompress(base64.b64decode(JOURNAL)))
target = types.SimpleNamespace(log=logging.getLogger())


def late(*_):
    print("actual:   still reads after 10 s")
    raise SystemExit


print("expected: the reading ends")
signal.signal(signal.SIGALRM, late)
signal.alarm(10)
for _ in JournalFile(file, target):
    pass
print("actual:   the reading ends")
