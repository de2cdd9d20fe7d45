"""pyarrow: nested and compressed parquet, a partitioned dataset, and IPC."""

import decimal
import io

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

table = pa.table(
    {
        "year": [2025, 2025, 2026],
        "tags": [["a"], [], None],
        "money": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("2.25")], pa.decimal128(9, 2)),
        "word": pa.array(["x", "y", "x"]).dictionary_encode(),
    }
)
for compression in ("snappy", "zstd", "gzip", "none"):
    pq.write_table(table, "out/one.parquet", compression=compression)
    assert pq.read_table("out/one.parquet").equals(table), compression
pq.write_to_dataset(table, "out/parts", partition_cols=["year"])
found = ds.dataset("out/parts", partitioning="hive").to_table(filter=ds.field("year") == 2025)
assert found.num_rows == 2
stream = io.BytesIO()
with pa.ipc.new_stream(stream, table.schema) as writer:
    writer.write_table(table)
assert pa.ipc.open_stream(stream.getvalue()).read_all().equals(table)
frame = table.to_pandas()
assert frame.tags[0].tolist() == ["a"]
print(pc.sum(table["money"]).as_py(), pq.ParquetFile("out/one.parquet").metadata.num_rows)
