"""hashlib, hmac, secrets, uuid and the system's own chance."""

import hashlib
import hmac
import os
import random
import secrets
import uuid

assert hashlib.sha256(b"abc").hexdigest().startswith("ba7816bf8f01cfea")
assert hashlib.blake2b(b"abc", digest_size=8).hexdigest() == "d8bb14d833d59559"
assert hashlib.md5(b"").hexdigest() == "d41d8cd98f00b204e9800998ecf8427e"
assert hashlib.pbkdf2_hmac("sha256", b"word", b"salt", 1000).hex()[:8] == "7eee3ccd"
assert hashlib.scrypt(b"word", salt=b"salt", n=2**10, r=8, p=1, dklen=4).hex() == "adbd9b8f"
assert hmac.compare_digest(hmac.new(b"k", b"m", "sha1").hexdigest(), hmac.digest(b"k", b"m", "sha1").hex())
assert secrets.token_hex() != secrets.token_hex() and len(os.urandom(16)) == 16
assert random.random() != random.random() and len({uuid.uuid4() for _ in range(100)}) == 100
assert uuid.uuid1().version == 1
print(uuid.uuid5(uuid.NAMESPACE_DNS, "example.org"))
