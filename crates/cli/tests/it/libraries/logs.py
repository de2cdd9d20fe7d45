"""logging: to stderr, to a file, with levels, handlers and tracebacks; and warnings."""

import logging
import logging.handlers
import warnings

logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
log = logging.getLogger("app.part")
file = logging.handlers.RotatingFileHandler("out/app.log", maxBytes=10_000, backupCount=1)
file.setFormatter(logging.Formatter("%(asctime)s %(filename)s %(funcName)s %(message)s"))
log.addHandler(file)


def work():
    log.debug("not shown")
    log.info("begun with %d", 3)
    try:
        1 / 0
    except ZeroDivisionError:
        log.exception("failed")


work()
logging.captureWarnings(True)
warnings.warn("old way", DeprecationWarning, stacklevel=1)
warnings.warn("beware", UserWarning, stacklevel=1)
with open("out/app.log") as lines:
    text = lines.read()
assert " logs.py work begun with 3\n" in text and "ZeroDivisionError: division by zero" in text, text
assert "    1 / 0\n" in text, "a traceback shows the line"
print(text.count("work"))
