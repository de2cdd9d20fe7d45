"""A language model that stays: its weights are loaded once, then each order is one Chat request, answered in pieces.

It runs in a cell without a network. The engine insists on listening somewhere: that is a socket in the cell's own
scratch space, where nobody else is.
"""

WEIGHTS = "/work/input/weights.gguf"
DOOR = "/tmp/engine.sock"
# The engine says after each so many tokens how far it is with reading; only then it hears that it should stop.
BATCH_TOKENS = 256

_engine = None


class Refused(Exception):
    """What the engine says against a request or its weights."""


def load(settings):
    global _engine
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = WEIGHTS
    parameters.n_ctx = settings["context_tokens"]
    parameters.n_parallel = 1
    parameters.n_batch = BATCH_TOKENS
    parameters.n_ubatch = BATCH_TOKENS
    parameters.cpuparams.n_threads = settings["threads"]
    parameters.cpuparams_batch.n_threads = settings["threads"]
    parameters.n_threads_http = 1
    parameters.hostnames = [DOOR]
    parameters.use_jinja = True
    parameters.warmup = False
    parameters.ui = False
    # Errors only: what it says of each request is the user's text.
    parameters.verbosity = 1
    try:
        _engine = xllamacpp.Server(parameters)
    except Exception as error:
        raise Refused(f"the weights cannot be loaded: {error}") from None
    return True


def answer(request, say):
    """Tells the chunks of a reply as the engine makes them."""
    request = {**request, "stream": True, "return_progress": True, "cache_prompt": True}
    stopped = False

    def heard(chunk):
        nonlocal stopped
        stopped = say(chunk) or stopped
        return stopped

    last = _engine.handle_chat_completions(request, heard)
    if isinstance(last, dict) and "error" in last:
        say(last)
    return not stopped
