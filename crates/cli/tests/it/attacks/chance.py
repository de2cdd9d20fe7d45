"""Prints what no two programs may have in common. Runs as a whole."""

import ctypes
import json
import os
import random
import secrets
import sys
import tempfile
import uuid

import numpy

values = {
    "random": random.random(),
    "numpy": numpy.random.rand(),
    "numpy_generator": numpy.random.default_rng().random(),
    "numpy_legacy_state": [int(word) for word in numpy.random.get_state()[1][1:5]],
    "shuffled": random.sample(range(1_000_000), 3),
    "secret": secrets.token_hex(),
    "system": os.urandom(8).hex(),
    "uuid": str(uuid.uuid4()),
    "temporary_name": next(tempfile._get_candidate_names()),
    "address_of_a_library": ctypes.cast(ctypes.CDLL(None).printf, ctypes.c_void_p).value,
    "address_of_an_object": id(sys.modules),
}
print("values", json.dumps(values))
