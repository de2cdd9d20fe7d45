"""Unicode: what is printed, normal forms, names of files, encodings, and halves of characters."""

import locale
import os
import sys
import unicodedata

assert sys.stdout.encoding == "utf-8" and locale.getpreferredencoding() == "utf-8"
assert unicodedata.normalize("NFC", "e\u0301") == "é" and unicodedata.normalize("NFKD", "ﬁ") == "fi"
assert "ß".upper() == "SS" and "İ".lower() == "i̇" and "ΑΣ".lower() == "ας"
assert len("👩‍👩‍👧") == 5 and "👍🏽".encode().hex() == "f09f918df09f8fbd"
assert "日本".encode("shift_jis").decode("shift_jis") == "日本" and b"\xfcber".decode("cp1252") == "über"
with open("out/日本 naïve 🎉.txt", "w") as file:
    file.write("žluťoučký")
assert "日本 naïve 🎉.txt" in os.listdir("out")
assert os.fsdecode(b"\xff") == "\udcff" and os.fsencode("\udcff") == b"\xff"
try:
    print("\ud83d")
    raise AssertionError("half a character cannot be printed")
except UnicodeEncodeError:
    pass
assert sys.stdin.read() == "" and unicodedata.name("🐍") == "SNAKE"
print("🎉 日本 naïve עברית")
