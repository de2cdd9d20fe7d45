"""subprocess: Python itself finds the libraries that the program has."""

import subprocess
import sys

code = "import numpy, pandas; print(pandas.Series(numpy.arange(5)).sum())"
ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
assert ran.returncode == 0, ran.stderr
print(ran.stdout.strip())
