"""Figures that a program drew: which of them it saved itself, and files for the others.

Never imports the plotting library: a program that did not import it has no figures. To know what was saved, the one
method that all saving goes through is wrapped when the library is loaded. Pictures are packed lightly unless the program
says how: the same picture in a sixth less time, and a somewhat larger file.
"""

import sys

OUT = "/work/out"
CANVASES = "matplotlib.backend_bases"
RASTER = "matplotlib.backends.backend_agg"
FIGURES_MAX = 20
PACKED_LIGHTLY = {"compress_level": 1}

_state = {"saved": None}


class _Finder:
    """Waits for the import of the module that saves figures."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != CANVASES:
            return None
        sys.meta_path.remove(_Finder)
        found = (finder.find_spec(name, path, target) for finder in list(sys.meta_path))
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                _note_saves(module)

            spec.loader.exec_module = exec_module
        return spec


def watch():
    """Begins to take note of figures that are saved; once is enough."""
    if _state["saved"] is not None or _Finder in sys.meta_path:
        return
    if CANVASES in sys.modules:
        _note_saves(sys.modules[CANVASES])
    else:
        sys.meta_path.insert(0, _Finder)


def _note_saves(module):
    import functools
    import os
    import weakref

    saved = _state["saved"] = weakref.WeakKeyDictionary()
    save = module.FigureCanvasBase.print_figure

    @functools.wraps(save)
    def print_figure(self, filename, *arguments, **options):
        is_path = isinstance(filename, (str, os.PathLike))
        if not arguments and type(self).__module__ == RASTER and _format(filename, is_path, options) == "png":
            options.setdefault("pil_kwargs", dict(PACKED_LIGHTLY))
        done = save(self, filename, *arguments, **options)
        saved[self.figure] = os.path.abspath(filename) if is_path else None
        return done

    module.FigureCanvasBase.print_figure = print_figure


def _format(filename, is_path, options):
    """As which format a figure is saved, as far as the call says so."""
    if is_path and not options.get("format"):
        import os

        return os.path.splitext(os.fsdecode(filename))[1].removeprefix(".").lower()
    return options.get("format")


def figure_of(value):
    """The figure that a value is or belongs to: a figure, axes, something drawn on them, or a list of such."""
    library = sys.modules.get("matplotlib.figure")
    if library is None:
        return None
    while True:
        if isinstance(value, library.Figure):
            return value
        if isinstance(value, (list, tuple)) or type(value).__name__ == "ndarray":
            if len(value) == 0:
                return None
            value = value[0]
        elif isinstance(value, sys.modules["matplotlib.artist"].Artist):
            value = value.figure
        else:
            return None


def path_of(figure):
    """The file below `out/` that holds a figure; saves it if there is none."""
    saved = _state["saved"]
    path = saved.get(figure) if saved is not None else None
    return path and below_out(path) or save(figure)


def save(figure):
    """Saves a figure under the first free name, and gives that name."""
    import os

    number = 1
    while os.path.lexists(f"{OUT}/figure-{number}.png"):
        number += 1
    name = f"figure-{number}.png"
    try:
        figure.savefig(f"{OUT}/{name}", format="png")
    except BaseException:
        if os.path.lexists(f"{OUT}/{name}"):
            os.unlink(f"{OUT}/{name}")
        raise
    return name


def save_open():
    """Saves the figures that are open, drawn on and not saved by the program itself."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    try:
        for number in pyplot.get_fignums()[:FIGURES_MAX]:
            figure = pyplot.figure(number)
            is_empty = len(figure.get_children()) <= 1  # Its background is always there.
            if not is_empty and figure not in (_state["saved"] or ()):
                save(figure)
    except BaseException as error:
        print(f"a figure could not be saved: {type(error).__name__}", file=sys.stderr)


def below_out(path):
    """Where a file lies below `out/`, if it does."""
    import os

    path = os.path.realpath(os.fsdecode(path))
    if path.startswith(OUT + "/") and os.path.isfile(path):
        return path[len(OUT) + 1 :]
    return None
