"""numpy: linear algebra, which calls into the libraries below it."""

import numpy as np

matrix = np.array([[4.0, 1.0, 2.0], [1.0, 3.0, 0.0], [2.0, 0.0, 5.0]])
solution = np.linalg.solve(matrix, [1.0, 2.0, 3.0])
assert np.allclose(matrix @ solution, [1, 2, 3])
values, vectors = np.linalg.eigh(matrix)
assert np.allclose(vectors @ np.diag(values) @ vectors.T, matrix)
u, s, v = np.linalg.svd(matrix)
assert np.allclose(u @ np.diag(s) @ v, matrix)
assert np.allclose(np.linalg.inv(matrix) @ matrix, np.eye(3))
assert round(np.linalg.det(matrix), 9) == 43.0
large = np.random.default_rng(1).random((300, 300))
assert np.allclose(large @ np.linalg.inv(large), np.eye(300), atol=1e-6)
fit = np.polyfit(range(5), [1, 3, 5, 7, 9], 1)
print(np.einsum("ij,jk->ik", matrix, matrix)[0].tolist(), fit.round(6).tolist())
