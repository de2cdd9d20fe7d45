"""scikit-learn with joblib's processes, where the environment has them."""

try:
    import sklearn  # noqa: F401
except ImportError:
    print("skipped: there is no scikit-learn in this environment")
    raise SystemExit

from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score

if __name__ == "__main__":
    features, labels = load_iris(return_X_y=True)
    forest = RandomForestClassifier(n_estimators=20, random_state=0, n_jobs=2)
    scores = cross_val_score(forest, features, labels, cv=3, n_jobs=2)
    print(bool(scores.mean() > 0.9))
