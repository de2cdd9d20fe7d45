"""collections, dataclasses, enums, typing, heaps, iterators and abstract classes."""

import abc
import bisect
import collections
import copy
import dataclasses
import enum
import functools
import graphlib
import heapq
import itertools
import typing


@dataclasses.dataclass(order=True, frozen=True, slots=True)
class Point:
    x: int
    y: int = 0
    tags: tuple[str, ...] = dataclasses.field(default=(), compare=False)


class Colour(enum.StrEnum):
    RED = enum.auto()
    GREEN = enum.auto()


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self) -> float: ...


class Named(typing.NamedTuple):
    name: str
    size: int = 1


class Options(typing.TypedDict, total=False):
    deep: bool


@functools.lru_cache
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


assert sorted([Point(2), Point(1, 5), Point(1)]) == [Point(1), Point(1, 5), Point(2)]
assert dataclasses.asdict(dataclasses.replace(Point(1), y=3)) == {"x": 1, "y": 3, "tags": ()}
assert collections.Counter("mississippi").most_common(1) == [("i", 4)] and Colour("red") is Colour.RED
assert typing.get_type_hints(Point)["tags"] == tuple[str, ...] and Options.__optional_keys__ == {"deep"}
try:
    Shape()
    raise AssertionError("an abstract class was made")
except TypeError:
    pass
heap = [5, 1, 4]
heapq.heapify(heap)
assert heapq.nsmallest(2, heap) == [1, 4] and bisect.bisect([1, 3, 5], 3) == 2
assert [*itertools.pairwise("abc")] == [("a", "b"), ("b", "c")]
assert list(graphlib.TopologicalSorter({"b": {"a"}, "c": {"b"}}).static_order()) == ["a", "b", "c"]
nested = collections.defaultdict(list, {"k": [[1]]})
assert copy.deepcopy(nested) == nested and copy.deepcopy(nested)["k"][0] is not nested["k"][0]
match Named("n"):
    case Named(name=name, size=1):
        print(name, fibonacci(90), [*itertools.accumulate([1, 2, 3])], Colour.GREEN)
