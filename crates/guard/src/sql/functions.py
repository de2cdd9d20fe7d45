"""Prints `functions.txt`: the functions that checked SQL may call.

`cargo xtask guard` runs it in a cell that has the pinned engine; read the difference before keeping it. One idea: the
engine says which functions are pure, and this file names what is taken away from those: whatever reads the catalog,
settings or SQL text, keeps or exposes internal state, depends on chance, or crashed the engine before.
"""

import re

import _duckdb

REFUSED = re.compile(
    r"""
    __.* | .*[A-Z\s].*                                                    # internal, and names no one can call
    | ago | current_.* | session_user | user | today | now | .*localtime.*  # clock and session
    | has_.* | pg_.* | inet_.* | .*_description | format_pg_type | format_type | map_to_pg_oid  # catalog
    | in_search_path | get_block_size | version | index_key | getvariable
    | json_(de)?serialize_.* | json_copy_.* | parse_duckdb_log_message    # SQL as text, writers' inner parts
    | combine | combine_aggr | finalize | to_aggregate_state              # aggregate state: reads out of bounds
    | reservoir_quantile | approx_quantile | approx_top_k                 # depend on chance or on the order of rows
    | assert_true | error | alias | stats | vector_type
    | create_sort_key | icu_sort_key | .*_byte_comparable | constant_or_null | remap_struct
    | cast_to_type | get_type | make_type | replace_type | can_cast_implicitly
    | variant_.* | st_.* | vertex_extract                                 # types that no column has, and young code
    | from_json.* | json_transform.*                                      # types as text, which no check of the tree sees
    | hive_partition_component
    | (icu_)?collate_.*                                                   # spelled COLLATE
    """,
    re.VERBOSE,
)

# Written like functions and resolved by the binder, so the engine's own list does not have them.
SYNTAX = ["unnest", "grouping", "grouping_id"]


def names():
    query = """
        SELECT function_name FROM duckdb_functions()
        WHERE function_type IN ('scalar', 'aggregate', 'window', 'macro') AND database_name = 'system'
        GROUP BY function_name
        HAVING bool_and(coalesce(stability, 'CONSISTENT') = 'CONSISTENT')
    """
    found = [name for (name,) in _duckdb.connect(":memory:").execute(query).fetchall()]
    return sorted({name for name in found if not REFUSED.fullmatch(name)} | set(SYNTAX))


if __name__ == "__main__":
    print("\n".join(names()))
