"""subprocess: Python itself, with pipes, statuses, time limits and a second file."""

import subprocess
import sys

ran = subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True, check=True)
assert (ran.stdout, ran.stderr) == ("42\n", ""), ran
echo = "import sys; text = sys.stdin.read(); print(text.upper(), end=''); print('told', file=sys.stderr); sys.exit(3)"
ran = subprocess.run([sys.executable, "-c", echo], input="straße\n", capture_output=True, text=True)
assert (ran.returncode, ran.stdout, ran.stderr) == (3, "STRASSE\n", "told\n"), ran
with subprocess.Popen([sys.executable, "-u", "-c", "import sys\nfor line in sys.stdin: print(len(line))"],
                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
    child.stdin.write("abc\n")
    child.stdin.flush()
    assert child.stdout.readline() == "4\n"
    child.stdin.close()
    assert child.wait(5) == 0
try:
    subprocess.run([sys.executable, "-c", "import time; time.sleep(30)"], timeout=0.3)
    raise AssertionError("it should have been cut off")
except subprocess.TimeoutExpired:
    pass
with open("helper.py", "w") as file:
    file.write("import sys, json\nprint(json.dumps(sys.argv[1:]))\n")
ran = subprocess.run([sys.executable, "helper.py", "5"], capture_output=True, text=True)
assert ran.returncode == 0, ran.stderr
print(ran.stdout.strip())
