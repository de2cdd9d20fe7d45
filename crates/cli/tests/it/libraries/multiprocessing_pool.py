"""multiprocessing: a pool of forked processes with the program's own functions."""

import multiprocessing
import os


def square(number):
    return number * number, os.getpid()


def explode(_):
    raise ValueError("as asked")


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(3) as pool:
        answers = pool.map(square, range(50), chunksize=5)
        assert [value for value, _ in answers] == [n * n for n in range(50)]
        assert os.getpid() not in {pid for _, pid in answers}
        assert sorted(pool.imap_unordered(abs, [-3, 2, -1])) == [1, 2, 3]
        try:
            pool.map(explode, [1])
            raise AssertionError("the error did not come back")
        except ValueError as error:
            assert str(error) == "as asked"
        later = pool.apply_async(square, (9,)).get(timeout=5)
    print(sum(value for value, _ in answers), later[0])
