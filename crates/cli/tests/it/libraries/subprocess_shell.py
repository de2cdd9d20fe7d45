"""subprocess: lines of the shell, with variables, redirection and pipelines of built-ins."""

import os
import subprocess

ran = subprocess.run("for word in a b c; do printf '%s-' \"$word\"; done", shell=True, capture_output=True, text=True)
assert ran.stdout == "a-b-c-", ran
assert subprocess.call("exit 7", shell=True) == 7
subprocess.run("echo hello > /tmp/said && read word < /tmp/said && test \"$word\" = hello", shell=True, check=True)
told = subprocess.check_output("echo $GREETING | python3 -c 'print(input()[::-1])'", shell=True, text=True,
                               env={**os.environ, "GREETING": "olleh"})
assert os.system("test -d /work/out") == 0
assert os.popen("echo popen").read() == "popen\n"
missing = subprocess.run("no-such-program", shell=True, capture_output=True, text=True)
assert missing.returncode == 127 and "not found" in missing.stderr, missing
print(told.strip())
