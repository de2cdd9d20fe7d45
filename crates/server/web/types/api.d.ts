// Made by tests/types.mjs from what `assay schema` prints; not written by hand.

export namespace AnswerParts {
  type AnswerStatus = "answered" | "refused";
  type RunId = string;
  type Identity = { "id": string; "version": Hash };
  type Hash = string;
  type AnswerSource = "offline" | "model";
  type Known = { "level": Level; "by": By; "note": string };
  type Level = "verified" | "checked" | "unverified";
  type By = "oracle" | "invariants" | "none";
  type Assumption = { "code": string; "text": string };
  type Table = { "columns": Column[]; "rows": ((null | boolean | number | string)[])[]; "row_count": number; "truncated": boolean };
  type Column = { "name": string; "type": Type };
  type Type = "bool" | "int" | "float" | "decimal" | "text" | "date" | "time" | "timestamp" | "json";
  type Form = { "percent": boolean; "digits": number; "unit": string | null; "plain"?: boolean; "period"?: Grain | null; "correlates"?: boolean; "bins"?: Bins | null };
  type Grain = "year" | "quarter" | "month" | "week" | "day" | "hour";
  type Bins = { "width": number; "holds": Holds };
  type Holds = "whole" | "fractions" | "years";
  type AnswerChart = { "kind": Kind; "spec": Record<string, any>; "drawing": Record<string, any> };
  type Kind = "bar" | "line" | "area" | "scatter" | "histogram" | "stacked";
  type AnswerRefusal = { "reason": Reason; "message": string; "words": string[]; "understood": Understood[]; "suggestions": string[]; "readings": NumberedReading[]; "hint": string | null; "model_may_read": boolean };
  type Reason = "unknown_word" | "ambiguous" | "unsupported" | "not_about_data" | "no_data" | "write_requested" | "low_confidence" | "disagreement" | "limit";
  type Understood = { "words": string; "meaning": string };
  type NumberedReading = { "number": number; "reading": string; "plan_hash": Hash };
  type Timing = { "plan": number; "execute": number; "verify": number; "total": number };
  type AnswerModel = { "name": string; "cost": Cost };
  type Cost = { "tokens": Tokens; "calls": number; "usd": number | null };
  type Tokens = { "input": number; "cache_read": number; "cache_write": number; "output": number; "reasoning": number };
  type Code = { "language": Language; "text": string };
  type Language = "plan" | "sql" | "python";
  type Attempt = { "language": Language; "text": string; "outcome": string; "error": string | null; "findings": Finding[] };
  type Finding = { "rule": string; "severity": Severity; "message": string; "span": Span | null };
  type Severity = "error" | "warning";
  type Span = { "start": number; "end": number };
  type Derivation = { "language": Language; "agrees": boolean };
  type Verdict = { "verdict": Answer; "reason": string };
  type Answer = "YES" | "NO";
  type Figure = { "name": string; "sha256": Hash };
  type ProposedNote = { "id": number; "text": string; "sql": string };
  type Note = { "id": number; "text": string; "at": Timestamp; "proposed": Proposed | null };
  type Timestamp = string;
  type Proposed = { "by": string; "run": RunId; "sql": string };
}
export type Answer = { "v": 1; "kind": "answer"; "status": AnswerParts.AnswerStatus; "run": AnswerParts.RunId; "question": string; "dataset": AnswerParts.Identity; "source": AnswerParts.AnswerSource; "confidence": number; "reading": string | null; "known": AnswerParts.Known | null; "assumptions": AnswerParts.Assumption[]; "sentence": string | null; "table": AnswerParts.Table | null; "forms": AnswerParts.Form[]; "focus": string[] | null; "chart": AnswerParts.AnswerChart | null; "plan": Record<string, any> | null; "plan_hash": AnswerParts.Hash | null; "sql": string | null; "refusal": AnswerParts.AnswerRefusal | null; "cached": boolean; "cached_from": AnswerParts.RunId | null; "readings": AnswerParts.NumberedReading[]; "notes": string[]; "notes_touching": string[]; "timing_ms": AnswerParts.Timing; "model": AnswerParts.AnswerModel | null; "code": AnswerParts.Code | null; "attempts": AnswerParts.Attempt[]; "derivations": AnswerParts.Derivation[]; "critique": AnswerParts.Verdict | null; "summary": string | null; "figures": AnswerParts.Figure[]; "proposed_note": AnswerParts.ProposedNote | null; "remembered": AnswerParts.Note[] };

export namespace SqlParts {
  type RunId = string;
  type Outcome = "ok" | "failed" | "killed" | "refused" | "lost";
  type KilledBy = "time" | "memory" | "output" | "processes";
  type Table = { "columns": Column[]; "rows": ((null | boolean | number | string)[])[]; "row_count": number; "truncated": boolean };
  type Column = { "name": string; "type": Type };
  type Type = "bool" | "int" | "float" | "decimal" | "text" | "date" | "time" | "timestamp" | "json";
  type Form = { "percent": boolean; "digits": number; "unit": string | null; "plain"?: boolean; "period"?: Grain | null; "correlates"?: boolean; "bins"?: Bins | null };
  type Grain = "year" | "quarter" | "month" | "week" | "day" | "hour";
  type Bins = { "width": number; "holds": Holds };
  type Holds = "whole" | "fractions" | "years";
  type Raised = { "type": string; "message": string; "line": number | null; "traceback": string; "hint"?: string | null };
  type Finding = { "rule": string; "severity": Severity; "message": string; "span": Span | null };
  type Severity = "error" | "warning";
  type Span = { "start": number; "end": number };
  type Usage = { "wall_ms": number; "cpu_ms": number; "memory_peak_bytes": number };
  type Isolation = { "tier": "namespaces" | "landlock" | "docker" | "kubernetes"; "memory": "cgroup2" | "cgroup1" | "watchdog"; "warm": boolean };
}
export type Sql = { "v": 1; "kind": "sql"; "run": SqlParts.RunId; "outcome": SqlParts.Outcome; "killed_by": SqlParts.KilledBy | null; "sql": string; "table": SqlParts.Table | null; "forms": SqlParts.Form[]; "error": SqlParts.Raised | null; "findings": SqlParts.Finding[]; "usage": SqlParts.Usage; "isolation": SqlParts.Isolation | null };

export namespace ExecutionParts {
  type RunId = string;
  type Outcome = "ok" | "failed" | "killed" | "refused" | "lost";
  type KilledBy = "time" | "memory" | "output" | "processes";
  type Raised = { "type": string; "message": string; "line": number | null; "traceback": string; "hint"?: string | null };
  type Returned = { "kind": "none"; "problem"?: string | null } | { "kind": "scalar"; "type": Type; "value": any; "truncated"?: boolean } | { "kind": "table"; "table": Table } | { "kind": "figure"; "path": string } | { "kind": "file"; "path": string };
  type Type = "bool" | "int" | "float" | "decimal" | "text" | "date" | "time" | "timestamp" | "json";
  type Table = { "columns": Column[]; "rows": ((null | boolean | number | string)[])[]; "row_count": number; "truncated": boolean };
  type Column = { "name": string; "type": Type };
  type FindingInLine = { "rule": string; "severity": Severity; "message": string; "span": Span | null; "line": number | null };
  type Severity = "error" | "warning";
  type Span = { "start": number; "end": number };
  type OutFile = { "path": string; "bytes": number; "sha256": Hash };
  type Hash = string;
  type Usage = { "wall_ms": number; "cpu_ms": number; "memory_peak_bytes": number };
  type Isolation = { "tier": "namespaces" | "landlock" | "docker" | "kubernetes"; "memory": "cgroup2" | "cgroup1" | "watchdog"; "warm": boolean };
}
export type Execution = { "v": 1; "kind": "execution"; "run": ExecutionParts.RunId; "outcome": ExecutionParts.Outcome; "killed_by": ExecutionParts.KilledBy | null; "exit_code": number | null; "signal": number | null; "stdout": string; "stderr": string; "stdout_truncated": boolean; "stderr_truncated": boolean; "error": ExecutionParts.Raised | null; "result": ExecutionParts.Returned; "findings": ExecutionParts.FindingInLine[]; "files": ExecutionParts.OutFile[]; "files_left_out": number; "files_beside": string[]; "usage": ExecutionParts.Usage; "isolation": ExecutionParts.Isolation | null };

export namespace DatasetsParts {
  type Listed = { "id": string; "version": Hash; "description": string; "tables": string[]; "origin": Origin; "rows": number | null; "bytes": number | null; "files_bytes": number | null; "paths": string[] | null; "added_at": Timestamp | null; "read_at": Timestamp | null; "files": FilesNow | null };
  type Hash = string;
  type Origin = "built-in" | "added";
  type Timestamp = string;
  type FilesNow = "unchanged" | "changed" | "missing";
  type CacheSize = { "bytes": number; "bytes_max": number };
}
export type Datasets = { "v": 1; "kind": "datasets"; "datasets": DatasetsParts.Listed[]; "cache": DatasetsParts.CacheSize };

export namespace DatasetParts {
  type Hash = string;
  type TableInfo = { "name": string; "description": string; "noun": string | null; "synonyms": string[]; "rows": number; "columns": ColumnInfo[]; "cells"?: any[][] };
  type ColumnInfo = { "name": string; "type": Type; "description": string; "synonyms": string[]; "noun": string | null; "unit": string | null; "nulls": number; "distinct": number; "unique": boolean; "min": any; "max": any; "values": string[]; "values_complete": boolean; "running"?: Running | null; "stock"?: Stock | null; "repeats_within"?: string | null };
  type Type = "bool" | "int" | "float" | "decimal" | "text" | "date" | "time" | "timestamp" | "json";
  type Running = { "entity": string[]; "time": string };
  type Stock = { "entity": string[]; "time": string };
  type Relation = { "from_table": string; "from_column": string; "to_table": string; "to_column": string };
  type DeclaredMeasure = { "name": string; "synonyms": string[]; "agg": Agg; "expr": Record<string, any> | null; "tables": string[]; "unit": string | null; "description": string };
  type Agg = "count" | "count_distinct" | "sum" | "avg" | "min" | "max" | "median" | "stddev" | "quantile" | "corr";
  type Remark = { "file": string | null; "table": string | null; "column": string | null; "code": string; "message": string; "count": number | null; "rows": number[] };
  type Note = { "id": number; "text": string; "at": Timestamp; "proposed": Proposed | null };
  type Timestamp = string;
  type Proposed = { "by": string; "run": RunId; "sql": string };
  type RunId = string;
}
export type Dataset = { "v": 1; "kind": "dataset"; "id": string; "version": DatasetParts.Hash; "description": string; "tables": DatasetParts.TableInfo[]; "relations": DatasetParts.Relation[]; "measures": DatasetParts.DeclaredMeasure[]; "questions": string[]; "notes": string[]; "remarks": DatasetParts.Remark[]; "remembered": DatasetParts.Note[] };

export namespace DatasetSchemaParts {
  type Identity = { "id": string; "version": Hash };
  type Hash = string;
  type TableSchema = { "name": string; "rows": number; "columns": ColumnSchema[] };
  type ColumnSchema = { "name": string; "type": Type; "nullable": boolean; "examples": any[] };
  type Type = "bool" | "int" | "float" | "decimal" | "text" | "date" | "time" | "timestamp" | "json";
  type Relation = { "from_table": string; "from_column": string; "to_table": string; "to_column": string };
}
export type DatasetSchema = { "v": 1; "kind": "dataset_schema"; "dataset": DatasetSchemaParts.Identity; "tables": DatasetSchemaParts.TableSchema[]; "relations": DatasetSchemaParts.Relation[]; "questions": string[] };

export namespace ProfileParts {
  type Identity = { "id": string; "version": Hash };
  type Hash = string;
  type ProfiledTable = { "name": string; "description": string; "noun": string | null; "rows": number; "sampled_rows": number | null; "keys": string[]; "times": string[]; "columns": ProfiledColumn[] };
  type ProfiledColumn = { "name": string; "type": Type; "nulls": number; "distinct": number; "unique": boolean; "min": any; "max": any; "values": string[]; "values_complete": boolean; "unit": string | null; "quantiles": any[]; "quantiles_are_exact": boolean; "top": [any, number][]; "histogram": number[]; "pattern": string | null; "example": any; "running"?: Running | null; "stock"?: Stock | null; "repeats_within"?: string | null; "distinct_is_exact": boolean; "description": string; "key": boolean; "time": boolean; "references": string[] };
  type Type = "bool" | "int" | "float" | "decimal" | "text" | "date" | "time" | "timestamp" | "json";
  type Running = { "entity": string[]; "time": string };
  type Stock = { "entity": string[]; "time": string };
  type Relation = { "from_table": string; "from_column": string; "to_table": string; "to_column": string };
  type Remark = { "file": string | null; "table": string | null; "column": string | null; "code": string; "message": string; "count": number | null; "rows": number[] };
}
export type Profile = { "v": 1; "kind": "profile"; "dataset": ProfileParts.Identity; "tables": ProfileParts.ProfiledTable[]; "relations": ProfileParts.Relation[]; "remarks": ProfileParts.Remark[] };

export namespace NotesParts {
  type Note = { "id": number; "text": string; "at": Timestamp; "proposed": Proposed | null };
  type Timestamp = string;
  type Proposed = { "by": string; "run": RunId; "sql": string };
  type RunId = string;
}
export type Notes = { "v": 1; "kind": "notes"; "dataset": string; "notes": NotesParts.Note[]; "proposed": NotesParts.Note[] };

export namespace RememberedParts {
  type Note = { "id": number; "text": string; "at": Timestamp; "proposed": Proposed | null };
  type Timestamp = string;
  type Proposed = { "by": string; "run": RunId; "sql": string };
  type RunId = string;
  type Done = "remembered" | "changed" | "forgot" | "accepted" | "rejected";
}
export type Remembered = { "v": 1; "kind": "remembered"; "dataset": string; "note": RememberedParts.Note; "done": RememberedParts.Done };

export namespace RunsParts {
  type Listed = { "id": RunId; "task": string; "state": RunState; "key": string | null; "created_at": Timestamp; "finished_at": Timestamp | null; "title": string | null };
  type RunId = string;
  type RunState = "pending" | "running" | "succeeded" | "failed" | "rejected" | "cancelled" | "interrupted" | "waiting";
  type Timestamp = string;
}
export type Runs = { "v": 1; "kind": "runs"; "runs": RunsParts.Listed[]; "next": RunsParts.RunId | null; "damaged": string[] };

export namespace RunParts {
  type RunId = string;
  type RunState = "pending" | "running" | "succeeded" | "failed" | "rejected" | "cancelled" | "interrupted" | "waiting";
  type Mode = "attached" | "queued";
  type Problem = { "v": 1; "kind": "problem"; "code": Code; "message": string; "hint": string | null; "actions": Action[]; "path": string | null; "run": RunId | null };
  type Code = "usage" | "setting_invalid" | "dataset_unknown" | "table_unknown" | "column_unknown" | "plan_invalid" | "file_unreadable" | "file_format" | "input_changed" | "run_unknown" | "run_busy" | "run_exists" | "task_unknown" | "key_conflict" | "journal_mismatch" | "journal_damaged" | "capsule_damaged" | "session_diverged" | "store_locked" | "store_readonly" | "store_newer" | "disk_full" | "disk_failed" | "environment_missing" | "sandbox_unavailable" | "sandbox_busy" | "sandbox_lost" | "key_missing" | "model_unknown" | "model_refused" | "model_failed" | "model_truncated" | "rate_limited" | "quota_exceeded" | "budget_exhausted" | "approval_needed" | "not_found" | "method_unknown" | "token_invalid" | "forbidden" | "too_many_requests" | "unsupported_media" | "too_large" | "worker_lost" | "timed_out" | "cancelled" | "internal" | "unknown";
  type Action = { "do": "resume_run"; "run": RunId } | { "do": "follow_run"; "run": RunId } | { "do": "cancel_run"; "run": RunId } | { "do": "decide_run"; "run": RunId } | { "do": "list_lessons" } | { "do": "list_runs" } | { "do": "add_dataset" } | { "do": "refresh_dataset"; "dataset": string } | { "do": "remove_dataset"; "dataset": string } | { "do": "list_notes" } | { "do": "forget_note" } | { "do": "check_plan" } | { "do": "list_readings" } | { "do": "replace_file" } | { "do": "check_machine" } | { "do": "make_token" } | { "do": "stop_broker" } | { "do": "pull_model"; "model": string } | { "do": "list_documents" } | { "do": "choose"; "what": Choice };
  type Choice = "data_dir" | "env_dir" | "python" | "broker" | "models_dir" | "models_mirror" | "cache_bytes" | "dataset_name" | "output_folder" | "capsule_file" | "effects_file" | "tables_file";
  type ForkPoint = { "run": RunId; "step": number };
  type Timestamp = string;
  type Step = { "index": number; "name": string; "state": StepState; "attempts": number; "finished_at": Timestamp; "duration_ms": number; "input_hash": Hash; "output_hash": Hash; "output": any; "request": Hash | null };
  type StepState = "ok" | "failed";
  type Hash = string;
  type ArtifactRecord = { "name": string; "media_type": string; "bytes": number; "sha256": Hash };
  type Question = { "id": string; "action": string; "detail": string };
}
export type Run = { "v": 1; "kind": "run"; "id": RunParts.RunId; "task": string; "state": RunParts.RunState; "mode": RunParts.Mode; "key": string | null; "title": string | null; "input": any; "output": any; "problem": RunParts.Problem | null; "forked_from": RunParts.ForkPoint | null; "attempts": number; "program": string; "created_at": RunParts.Timestamp; "finished_at": RunParts.Timestamp | null; "last_seq": number; "steps": RunParts.Step[]; "artifacts": RunParts.ArtifactRecord[]; "questions": RunParts.Question[]; "progress": any };

export namespace ReplayParts {
  type RunId = string;
  type ReplayDifference = { "message": string; "path": string | null; "recorded": any; "replayed": any };
}
export type Replay = { "v": 1; "kind": "replay"; "run": ReplayParts.RunId; "steps": number; "same": boolean; "difference": ReplayParts.ReplayDifference | null };

export namespace ModelsParts {
  type DefinedModel = { "name": string; "provider": string; "model": string; "key": KeyState; "fallbacks": string[] };
  type KeyState = "there" | "missing" | "not_needed";
  type KnownProvider = { "name": string; "key": KeyState; "key_variable": string | null; "origin": string | null };
  type LocalWeights = { "name": string; "state": WeightsState; "bytes": number; "bytes_here": number };
  type WeightsState = "there" | "absent";
}
export type Models = { "v": 1; "kind": "models"; "default": string | null; "default_origin": string; "models": ModelsParts.DefinedModel[]; "providers": ModelsParts.KnownProvider[]; "local": ModelsParts.LocalWeights[]; "tables": ModelsParts.LocalWeights[] };

export namespace ConfigParts {
  type Setting = { "name": string; "value": string | null; "origin": string; "about": string };
}
export type Config = { "v": 1; "kind": "config"; "settings": ConfigParts.Setting[] };
