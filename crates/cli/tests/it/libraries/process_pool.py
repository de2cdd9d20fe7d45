"""concurrent.futures: parts of a frame are fitted in other processes, as joblib would have it."""

from concurrent.futures import ProcessPoolExecutor, as_completed

import numpy as np
import pandas as pd


def fit(group, part):
    slope, offset = np.polyfit(part.x, part.y, 1)
    return group, round(float(slope), 6), round(float(offset), 6)


if __name__ == "__main__":
    x = np.arange(300)
    frame = pd.DataFrame({"group": x % 3, "x": x, "y": (x % 3 + 1) * x + 5})
    with ProcessPoolExecutor(max_workers=2) as pool:
        jobs = [pool.submit(fit, int(group), part) for group, part in frame.groupby("group")]
        fits = sorted(job.result(timeout=8) for job in as_completed(jobs))
        assert list(pool.map(abs, [-1, -2, 3])) == [1, 2, 3]
    print(fits)
