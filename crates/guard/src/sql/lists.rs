//! What a statement may consist of. Flat tables, sorted by kind; whatever is not here is refused by its name.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Functions that read nothing but their arguments and always answer the same; printed by `functions.py`.
const FUNCTIONS: &str = include_str!("functions.txt");

/// Functions that may stand in FROM.
pub const TABLE_FUNCTIONS: &[&str] = &["generate_series", "range", "unnest"];

/// Functions that call an aggregate by a name given as text.
pub const CALLS_BY_NAME: &[&str] = &["aggregate", "array_aggr", "array_aggregate", "list_aggr", "list_aggregate"];

/// Functions that read the clock.
pub const CLOCK: &[&str] = &[
    "ago",
    "current_date",
    "current_localtime",
    "current_localtimestamp",
    "current_time",
    "current_timestamp",
    "get_current_time",
    "get_current_timestamp",
    "localtime",
    "localtimestamp",
    "now",
    "today",
    "transaction_timestamp",
];

/// Words that read the session, bare; `user` is not among them, because columns are called that and it says nothing.
pub const SESSION: &[&str] =
    &["current_catalog", "current_database", "current_role", "current_schema", "current_user", "session_user"];

/// Functions whose answer depends on chance or on the order in which rows are met, and what to write instead.
pub const CHANCE: &[(&str, &str)] = &[
    ("approx_quantile", "write quantile_cont"),
    ("approx_top_k", "write GROUP BY … ORDER BY count(*) DESC LIMIT n"),
    ("gen_random_uuid", ROW_NUMBER),
    ("random", "order by a column, or by hash(column) where no order is meant"),
    ("reservoir_quantile", "write quantile_cont"),
    ("setseed", "leave it out"),
    ("uuid", ROW_NUMBER),
    ("uuidv4", ROW_NUMBER),
    ("uuidv7", ROW_NUMBER),
];

const ROW_NUMBER: &str = "write row_number() OVER (ORDER BY …) to number rows";
const ADD_THE_FILE: &str = "add the file to the dataset and name its table";
const DESCRIBE: &str = "write DESCRIBE and a table's name to see its columns";
const ITSELF: &str = "write the query itself";
const CAST: &str = "write json_extract(…) and CAST(… AS type)";

/// What to write instead of a function that is refused; a name that ends in `*` stands for all that begin so.
const INSTEAD: &[(&str, &str)] = &[
    ("arrow_scan*", ADD_THE_FILE),
    ("assert_true", "write CASE WHEN … END"),
    ("current_*", DESCRIBE),
    ("currval", ROW_NUMBER),
    ("duckdb_*", DESCRIBE),
    ("error", "write CASE WHEN … END"),
    ("from_json*", CAST),
    ("getvariable", "write the value itself"),
    ("glob", ADD_THE_FILE),
    ("histogram_values", "write histogram(column) in SELECT"),
    ("json_deserialize_*", ITSELF),
    ("json_each", "write unnest(json_keys(…))"),
    ("json_execute_serialized_sql", ITSELF),
    ("json_serialize_*", ITSELF),
    ("json_transform*", CAST),
    ("json_tree", "write json_extract(…)"),
    ("nextval", ROW_NUMBER),
    ("pandas_scan", ADD_THE_FILE),
    ("parquet_*", ADD_THE_FILE),
    ("pg_size_pretty", "write format_bytes"),
    ("pg_typeof", "write typeof"),
    ("pragma_*", DESCRIBE),
    ("python_*", ADD_THE_FILE),
    ("query", ITSELF),
    ("query_table", "write FROM and the table's name"),
    ("read_*", ADD_THE_FILE),
    ("repeat_row", "write range(n)"),
    ("seq_scan", "write FROM and the table's name"),
    ("setval", ROW_NUMBER),
    ("sniff_csv", ADD_THE_FILE),
    ("st_*", "write arithmetic over the coordinates"),
    ("summary", "write SUMMARIZE and the table's name"),
    ("variant_*", "write the json_… function of that name"),
];

/// Collations by a name of their own; the others are called after languages.
const COLLATIONS: &[&str] = &["binary", "c", "icu_noaccent", "nfc", "noaccent", "nocase", "posix"];

/// Nodes of the tree that have a type and no class.
pub const NODES: &[&str] = &[
    "SELECT_NODE",
    "SET_OPERATION_NODE",
    "RECURSIVE_CTE_NODE",
    "BASE_TABLE",
    "EMPTY",
    "EXPRESSION_LIST",
    "JOIN",
    "PIVOT",
    "SHOW_REF",
    "SUBQUERY",
    "TABLE_FUNCTION",
    "DISTINCT_MODIFIER",
    "LIMIT_MODIFIER",
    "LIMIT_PERCENT_MODIFIER",
    "ORDER_MODIFIER",
    "ASCENDING",
    "DESCENDING",
    "ORDER_DEFAULT",
];

/// Expressions, by class and type.
pub const EXPRESSIONS: &[(&str, &[&str])] = &[
    ("BETWEEN", &["COMPARE_BETWEEN", "COMPARE_NOT_BETWEEN"]),
    ("CASE", &["CASE_EXPR"]),
    ("CAST", &["OPERATOR_CAST"]),
    ("COLLATE", &["COLLATE"]),
    ("COLUMN_REF", &["COLUMN_REF"]),
    (
        "COMPARISON",
        &[
            "COMPARE_DISTINCT_FROM",
            "COMPARE_EQUAL",
            "COMPARE_GREATERTHAN",
            "COMPARE_GREATERTHANOREQUALTO",
            "COMPARE_LESSTHAN",
            "COMPARE_LESSTHANOREQUALTO",
            "COMPARE_NOTEQUAL",
            "COMPARE_NOT_DISTINCT_FROM",
        ],
    ),
    ("CONJUNCTION", &["CONJUNCTION_AND", "CONJUNCTION_OR"]),
    ("CONSTANT", &["VALUE_CONSTANT"]),
    ("FUNCTION", &["FUNCTION"]),
    ("LAMBDA", &["LAMBDA"]),
    (
        "OPERATOR",
        &[
            "ARRAY_CONSTRUCTOR",
            "ARRAY_EXTRACT",
            "ARRAY_SLICE",
            "COMPARE_IN",
            "COMPARE_NOT_IN",
            "GROUPING_FUNCTION",
            "OPERATOR_COALESCE",
            "OPERATOR_IS_NOT_NULL",
            "OPERATOR_IS_NULL",
            "OPERATOR_NOT",
            "OPERATOR_NULLIF",
            "OPERATOR_TRY",
            "OPERATOR_UNPACK",
            "STRUCT_EXTRACT",
        ],
    ),
    ("POSITIONAL_REFERENCE", &["POSITIONAL_REFERENCE"]),
    ("STAR", &["STAR"]),
    ("SUBQUERY", &["SUBQUERY"]),
    ("TYPE", &["TYPE"]),
    (
        "WINDOW",
        &[
            "WINDOW_AGGREGATE",
            "WINDOW_CUME_DIST",
            "WINDOW_FILL",
            "WINDOW_FIRST_VALUE",
            "WINDOW_LAG",
            "WINDOW_LAST_VALUE",
            "WINDOW_LEAD",
            "WINDOW_NTH_VALUE",
            "WINDOW_NTILE",
            "WINDOW_PERCENT_RANK",
            "WINDOW_RANK",
            "WINDOW_RANK_DENSE",
            "WINDOW_ROW_NUMBER",
        ],
    ),
];

/// Fields that may say something. The rest of what the engine serialises (samples, points in time, parameters,
/// exported states, what data-modifying nodes hold) has to be empty.
pub const FIELDS: &[&str] = &[
    "aggregate_handling",
    "aggregates",
    "alias",
    "aliases",
    "arg_orders",
    "arguments",
    "case_checks",
    "catalog",
    "catalog_name",
    "child",
    "children",
    "class",
    "collation",
    "column",
    "column_name_alias",
    "column_names",
    "columns",
    "comparison_type",
    "condition",
    "cte_map",
    "cte_name",
    "default_expr",
    "distinct",
    "distinct_on_targets",
    "else_expr",
    "end",
    "end_expr",
    "entries",
    "exclude_clause",
    "exclude_list",
    "expected_names",
    "expr",
    "expression",
    "filter",
    "filter_expr",
    "from_table",
    "function",
    "function_name",
    "group_expressions",
    "group_sets",
    "groups",
    "has_ignore_nulls",
    "having",
    "ignore_nulls",
    "include_nulls",
    "index",
    "input",
    "is_implicit",
    "is_operator",
    "join_type",
    "key",
    "key_targets",
    "kind",
    "left",
    "lhs",
    "limit",
    "limit_type",
    "literal",
    "lower",
    "map",
    "materialized",
    "modifiers",
    "name",
    "nearest_count",
    "nearest_order_type",
    "node",
    "null_order",
    "offset",
    "offset_expr",
    "order_bys",
    "orders",
    "partitions",
    "path",
    "payload_aggregates",
    "pivot_expressions",
    "pivots",
    "qualified_exclude_list",
    "qualified_name",
    "qualify",
    "query",
    "query_location",
    "query_location_length",
    "query_node",
    "ref_type",
    "relation_name",
    "rename_list",
    "replace_list",
    "right",
    "schema",
    "schema_name",
    "select_list",
    "setop_all",
    "setop_type",
    "show_type",
    "source",
    "star_expr",
    "start",
    "start_expr",
    "statements",
    "subquery",
    "subquery_type",
    "syntax_type",
    "table",
    "table_name",
    "text",
    "then_expr",
    "try_cast",
    "type",
    "type_expr",
    "type_name",
    "union_all",
    "unpivot_names",
    "upper",
    "using_columns",
    "value",
    "values",
    "when_expr",
    "where_clause",
    "with_ordinality",
];

/// Fields whose text is one of a few words, with the words. The engine has more for its own inner use.
const WORDS: &[(&str, &[&str])] = &[
    ("aggregate_handling", &["FORCE_AGGREGATES", "STANDARD_HANDLING"]),
    (
        "comparison_type",
        &[
            "COMPARE_DISTINCT_FROM",
            "COMPARE_EQUAL",
            "COMPARE_GREATERTHAN",
            "COMPARE_GREATERTHANOREQUALTO",
            "COMPARE_LESSTHAN",
            "COMPARE_LESSTHANOREQUALTO",
            "COMPARE_NOTEQUAL",
            "COMPARE_NOT_DISTINCT_FROM",
            "INVALID",
        ],
    ),
    ("end", WINDOW_EDGES),
    ("exclude_clause", &["CURRENT_ROW", "GROUP", "NO_OTHER", "TIES"]),
    ("join_type", &["ANTI", "FULL", "INNER", "LEFT", "RIGHT", "SEMI"]),
    ("kind", &["BOOLEAN", "HEX", "INTEGER", "NULL_LITERAL", "NUMERIC", "STRING"]),
    ("limit_type", &["PERCENTAGE", "ROW_COUNT"]),
    ("materialized", &["CTE_MATERIALIZE_ALWAYS", "CTE_MATERIALIZE_DEFAULT", "CTE_MATERIALIZE_NEVER"]),
    ("nearest_order_type", &["ASCENDING", "DESCENDING"]),
    ("null_order", &["NULLS FIRST", "NULLS LAST", "ORDER_DEFAULT"]),
    ("ref_type", &["ASOF", "CROSS", "NATURAL", "POSITIONAL", "REGULAR"]),
    ("setop_type", &["EXCEPT", "INTERSECT", "UNION", "UNION_BY_NAME"]),
    ("show_type", &["DESCRIBE", "SUMMARY"]),
    ("start", WINDOW_EDGES),
    ("subquery_type", &["ANY", "EXISTS", "NOT_EXISTS", "SCALAR"]),
    ("syntax_type", &["LAMBDA_KEYWORD", "SINGLE_ARROW"]),
    ("with_ordinality", &["WITHOUT_ORDINALITY", "WITH_ORDINALITY"]),
];

const WINDOW_EDGES: &[&str] = &[
    "CURRENT_ROW_GROUPS",
    "CURRENT_ROW_RANGE",
    "CURRENT_ROW_ROWS",
    "EXPR_FOLLOWING_GROUPS",
    "EXPR_FOLLOWING_RANGE",
    "EXPR_FOLLOWING_ROWS",
    "EXPR_PRECEDING_GROUPS",
    "EXPR_PRECEDING_RANGE",
    "EXPR_PRECEDING_ROWS",
    "UNBOUNDED_FOLLOWING",
    "UNBOUNDED_PRECEDING",
];

/// Types a value may be cast to.
pub const TYPES: &[&str] = &[
    "array",
    "bigint",
    "bignum",
    "bit",
    "bitstring",
    "blob",
    "bool",
    "boolean",
    "bpchar",
    "bytea",
    "char",
    "date",
    "datetime",
    "dec",
    "decimal",
    "double",
    "enum",
    "float",
    "float4",
    "float8",
    "guid",
    "hugeint",
    "int",
    "int1",
    "int128",
    "int16",
    "int2",
    "int32",
    "int4",
    "int64",
    "int8",
    "integer",
    "integral",
    "interval",
    "json",
    "list",
    "logical",
    "long",
    "map",
    "numeric",
    "nvarchar",
    "oid",
    "real",
    "short",
    "signed",
    "smallint",
    "string",
    "struct",
    "text",
    "time",
    "time with time zone",
    "time_ns",
    "timestamp",
    "timestamp with time zone",
    "timestamp_ms",
    "timestamp_ns",
    "timestamp_s",
    "timestamp_us",
    "timestamptz",
    "timetz",
    "tinyint",
    "ubigint",
    "uhugeint",
    "uint128",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uinteger",
    "union",
    "usmallint",
    "utinyint",
    "uuid",
    "varbinary",
    "varchar",
];

/// Words a SELECT can begin with.
pub const SELECT_STARTS: &[&str] =
    &["(", "DESCRIBE", "FROM", "SELECT", "SHOW", "SUMMARIZE", "TABLE", "UNPIVOT", "VALUES", "WITH"];

/// Words that make something else of a text that begins like a SELECT.
pub const OTHER_STATEMENTS: &[&str] =
    &["COPY", "CREATE", "DELETE", "INSERT", "MERGE", "PIVOT", "PIVOT_WIDER", "TRUNCATE", "UPDATE"];

/// Whether a field may hold this word: any, unless its words are listed.
pub fn is_word_of(field: &str, word: &str) -> bool {
    WORDS.iter().find(|(name, _)| *name == field).is_none_or(|(_, words)| words.contains(&word))
}

/// Whether a word reads the clock without brackets; the other functions of the clock are plain columns then.
pub fn is_bare_clock(name: &str) -> bool {
    CLOCK.contains(&name) && ["current_", "local"].iter().any(|begin| name.starts_with(begin))
}

/// Whether texts may be compared by a collation: one of those above, or a language with or without a country.
pub fn is_collation(name: &str) -> bool {
    let letters = |part: &str| (2..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_lowercase());
    let language =
        || name.split_once('_').map_or(letters(name), |(tongue, country)| letters(tongue) && letters(country));
    COLLATIONS.contains(&name) || language()
}

/// What to write instead of a function, where there is something.
pub fn instead(name: &str) -> Option<&'static str> {
    let fits = |known: &str| known.strip_suffix('*').map_or(known == name, |begin| name.starts_with(begin));
    INSTEAD.iter().find(|(known, _)| fits(known)).map(|(_, instead)| *instead)
}

/// Whether a function may be called.
pub fn is_function(name: &str) -> bool {
    static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| FUNCTIONS.lines().collect());
    KNOWN.contains(name)
}

/// Every function that may be called.
pub fn functions() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.lines()
}
