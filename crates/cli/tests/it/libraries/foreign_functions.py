"""ctypes: functions of the C library, structures and callbacks."""

import ctypes

libc = ctypes.CDLL(None, use_errno=True)
libc.strlen.restype = ctypes.c_size_t
assert libc.strlen("größe".encode()) == 7


class Pair(ctypes.Structure):
    _fields_ = [("a", ctypes.c_int32), ("b", ctypes.c_double)]


assert ctypes.sizeof(Pair) == 16
Compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
numbers = (ctypes.c_int * 5)(5, 1, 4, 2, 3)
libc.qsort(numbers, 5, ctypes.sizeof(ctypes.c_int), Compare(lambda a, b: a[0] - b[0]))
assert libc.open(b"/no/such", 0) == -1 and ctypes.get_errno() == 2
print(list(numbers))
