"""SQL in a one-shot kernel: parse, then open a prepared file, then query it.

One idea: one in-memory connection. `parse` answers from it before anything else has run, so the host can trust the
tree; `open` attaches the prepared file read-only to it and shuts every door; `query` runs text that the host checked.
Imports only the engine's extension module: its package and everything that package pulls in cost more than a query.
"""

import _duckdb
import cells
import wire

TEXT_BYTES_MAX = 65_536
EXPRESSION_DEPTH_MAX = 250
COLUMNS_MAX = 2_000
CHUNK_ROWS = 1_000
DATABASE = "data"
# Blocks of a file that were read are kept up to here and then overwritten, so a long scan stays in memory that is
# mapped already: fresh pages cost more than the scan itself. The few statements that need more room start anew with
# the most there is.
MEMORY_FIRST = 32 << 20
MEMORY_MAX = 384 << 20

# One thread: two add floats in another order each time, and the last digits of a sum with them. And none beside it, so
# that an engine can be opened once and forked. Everything that can be said when it is opened costs a question nothing.
_SETTINGS = {
    "threads": "1",
    "async_threads": "0",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unredacted_secrets": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
    "max_execution_time": "9000",
    "max_expression_depth": str(EXPRESSION_DEPTH_MAX),
    "pivot_limit": "200",
}
_state = {}


class LimitError(Exception):
    """A statement that needs more than there is; the hint says what to do."""

    def __init__(self, message, hint):
        super().__init__(message)
        self.hint = hint


def connection():
    """The one connection of this process."""
    if "connection" not in _state:
        _connect(MEMORY_FIRST)
    return _state["connection"]


def parse(arguments):
    """The engine's own parse tree of a text, flattened; the tokens with their byte offsets; or the error.

    Every object of the tree is one entry of `tree`, the first is the root; where an object held another one it now
    holds {"$": index}. Flat, because readers of JSON refuse deep nesting long before SQL becomes unreasonable.
    """
    text = arguments["sql"]
    source = text.encode()
    if len(source) > TEXT_BYTES_MAX:
        message = f"the statement has {len(source)} bytes, at most {TEXT_BYTES_MAX} are read"
        return {"tree": None, "statements": 0, "tokens": [], "error": _error("limit", message)}
    tokens = _tokens(text, source)
    answer = {"tree": None, "statements": _count(tokens, source), "tokens": tokens, "error": None}
    query = "SELECT json_serialize_sql(?, skip_null := true, skip_empty := true)"
    serialized = connection().execute(query, [text]).fetchall()[0][0]
    try:
        tree = wire.loads(serialized)
    except RecursionError:
        return {**answer, "error": _error("limit", "the statement is nested too deeply")}
    if tree["error"]:
        return {**answer, "error": _parse_error(tree)}
    return {**answer, "statements": len(tree.get("statements", [])), "tree": _flat(tree)}


def open(arguments):
    """Attaches the prepared file read-only, makes it the default, and shuts the last doors."""
    _state["path"] = arguments["path"]
    try:
        _attach()
    except _duckdb.OutOfMemoryException:
        _widen()
    return {}


def query(arguments):
    """Runs a checked statement; rows up to both bounds, and how many there are in all.

    When rows are left out, the engine counts the same statement as a sub-query: exact, because what the guard lets
    through gives the same rows each time, and far cheaper than fetching what nobody will see.
    """
    return with_room(lambda: _query(arguments["sql"], arguments["rows_max"], arguments["bytes_max"]))


def rows(table, columns, spelled=()):
    """The named columns of one table of the opened file, as the engine's Python values, or spelled as text."""
    names = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" if name in spelled else quoted(name) for name in columns)
    statement = f"SELECT {names} FROM {DATABASE}.main.{quoted(table)}"
    return with_room(lambda: connection().execute(statement).fetchall())


def quoted(name):
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _connect(memory):
    engine = _state["connection"] = _duckdb.connect(":memory:", config={**_SETTINGS, "memory_limit": f"{memory}B"})
    engine.execute("SET TimeZone='UTC'")


def _attach():
    engine = connection()
    engine.execute(f"ATTACH {_literal(_state['path'])} AS {DATABASE} (READ_ONLY)")
    engine.execute(f"USE {DATABASE}; SET enable_external_access=false; SET lock_configuration=true")


def with_room(work):
    """What `work` gives, tried again on an engine with all the memory there is if the first has too little.

    A new engine, because settings are locked by now.
    """
    try:
        if not _state.get("widened"):
            try:
                return work()
            except _duckdb.OutOfMemoryException:
                _widen()
        return work()
    except _duckdb.OutOfMemoryException:
        message = f"the statement needs more than {MEMORY_MAX >> 20} MB of memory"
        raise LimitError(message, "keep fewer rows or groups, or shorter texts, before it sorts or collects them") from None


def _widen():
    _state["connection"].close()
    _state["widened"] = True
    _connect(MEMORY_MAX)
    _attach()


def _query(statement, rows_max, bytes_max):
    result, columns = readable_result(statement)
    rows, more = _fetch(result, rows_max, bytes_max)
    row_count = len(rows)
    if more:
        row_count = connection().execute(f"SELECT count(*) FROM ({_nested(statement)}) AS result").fetchall()[0][0]
    return {
        "columns": [{"name": name, "type": cells.type_name(kind)} for name, kind in columns],
        "rows": rows,
        "row_count": row_count,
        "truncated": more,
    }


def readable_result(statement):
    """What a checked statement gives, its types being those that Python can hold, and the names and types it has."""
    result = connection().execute(statement)
    columns = [(name, str(kind)) for name, kind, *_ in result.description]
    if len(columns) > COLUMNS_MAX:
        message = f"the result has {len(columns)} columns, at most {COLUMNS_MAX} are given"
        raise LimitError(message, "name the columns that are needed")
    readable = _readable(columns)
    if readable is not None:
        result = connection().execute(f"SELECT {readable} FROM ({_nested(statement)}) AS result")
    return result, columns


def _literal(text):
    return "'" + text.replace("'", "''") + "'"


def _nested(statement):
    """The statement as the inside of parentheses: no trailing semicolon, and a last comment ends before the bracket."""
    source = statement.encode()
    ends = [token for token in _tokens(statement, source) if source[token["start"] : token["end"]] == b";"]
    if ends:
        source = source[: ends[0]["start"]]
    return source.decode() + "\n"


def _fetch(result, rows_max, bytes_max):
    """Encoded rows within both bounds, and whether there are more."""
    kept, size = [], 0
    while True:
        chunk = result.fetchmany(min(CHUNK_ROWS, rows_max - len(kept) + 1))
        if not chunk:
            return kept, False
        for row in chunk:
            encoded = [cells.encode(value) for value in row]
            size += len(wire.dumps(encoded))
            if len(kept) >= rows_max or size > bytes_max:
                return kept, True
            kept.append(encoded)


def _readable(columns):
    """A select list that spells the types Python cannot hold, or None where every type can be fetched as it is."""
    items = [_expression(position, kind) for position, (_, kind) in enumerate(columns, 1)]
    return ", ".join(item for item, _ in items) if any(changed for _, changed in items) else None


def _expression(position, kind):
    column = f"#{position}"
    if kind == "TIMESTAMP WITH TIME ZONE":
        return f"timezone('UTC', {column})", True
    if kind == "TIMESTAMP_NS":
        return f"strftime({column}, '%Y-%m-%dT%H:%M:%S.%n')", True
    if kind in ("TIME WITH TIME ZONE", "TIME_NS", "INTERVAL"):
        return f"CAST({column} AS VARCHAR)", True
    unsure = ("TIME ZONE", "_NS", "INTERVAL", "UNION", "VARIANT")
    if cells.type_name(kind) == "json" and any(part in kind for part in unsure):
        return f"CAST(to_json({column}) AS VARCHAR)", True
    return column, False


def _tokens(text, source):
    """The engine's tokens; it names where each starts, so each ends where the next starts, less the space between."""
    starts = [(start, kind.name) for start, kind in _duckdb.tokenize(text)]
    ends = [start for start, _ in starts[1:]] + [len(source)]
    return [
        {"start": start, "end": start + len(source[start:end].rstrip()), "kind": kind}
        for (start, kind), end in zip(starts, ends)
    ]


def _count(tokens, source):
    """Statements in the text, also where the engine gives no tree: runs of tokens between semicolons."""
    count, inside = 0, False
    for token in tokens:
        if token["kind"] == "comment":
            continue
        separator = source[token["start"] : token["end"]] == b";"
        count += not separator and not inside
        inside = not separator
    return count


def _parse_error(tree):
    message = tree["error_message"]
    if "max expression depth" in message.lower():
        return _error("limit", f"expressions are nested more than {EXPRESSION_DEPTH_MAX} levels deep")
    if tree["error_type"] == "not implemented":
        return _error("statement", message)
    position = tree.get("position")
    return _error("syntax", message, int(position) if position is not None else None)


def _error(kind, message, start=None):
    return {"kind": kind, "message": message, "start": start}


def _flat(tree):
    nodes, pending = [tree], [tree]

    def place(value):
        if isinstance(value, dict):
            nodes.append(value)
            pending.append(value)
            return {"$": len(nodes) - 1}
        if isinstance(value, list):
            pending.append(value)
        return value

    while pending:
        container = pending.pop()
        keys = container.keys() if isinstance(container, dict) else range(len(container))
        for key in keys:
            container[key] = place(container[key])
    return nodes
