"""numpy: transforms, seeded generators, broadcasting, and chance that differs without a seed."""

import numpy as np

wave = np.sin(2 * np.pi * 5 * np.arange(64) / 64) + 0.5 * np.cos(2 * np.pi * 12 * np.arange(64) / 64)
spectrum = np.abs(np.fft.rfft(wave))
assert sorted(np.argsort(spectrum)[-2:].tolist()) == [5, 12]
assert np.allclose(np.fft.irfft(np.fft.rfft(wave)), wave)
one, other = np.random.default_rng(42), np.random.default_rng(42)
drawn = one.normal(size=1_000)
assert (drawn == other.normal(size=1_000)).all() and abs(drawn.mean()) < 0.1
np.random.seed(7)
assert np.random.randint(0, 100, 5).tolist() == [47, 68, 25, 67, 83]
assert np.random.default_rng().integers(2**62) != np.random.default_rng().integers(2**62)
grid = np.arange(3)[:, None] * np.arange(4)
assert grid.shape == (3, 4) and grid[2].tolist() == [0, 2, 4, 6]
masked = np.ma.masked_less(grid, 2)
print(one.permutation(5).tolist(), int(masked.sum()))
