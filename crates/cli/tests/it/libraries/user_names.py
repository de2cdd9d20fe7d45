"""pwd and getpass: whoever runs the program has a name and a home."""

import getpass
import os
import pwd

entry = pwd.getpwuid(os.getuid())
assert getpass.getuser() == entry.pw_name and os.path.isdir(entry.pw_dir)
assert os.path.expanduser("~") == entry.pw_dir
print(bool(entry.pw_name))
