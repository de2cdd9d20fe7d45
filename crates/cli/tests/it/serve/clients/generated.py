"""Asks a question with a client that was generated from the description of the API; nothing here knows an address."""

import json
import sys
import time

from client import AuthenticatedClient
from client.api.default import get_runs_id_status, post_chat, post_runs
from client.models import Asked, Question

api = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
answer = post_chat.sync(client=api, body=Question(dataset_id="support", message="tickets by priority"))
refused = post_chat.sync(client=api, body=Question(dataset_id="nothing", message="tickets by priority"))
begun = post_runs.sync(client=api, body=Asked(task="sql", input_={"dataset_id": "support", "sql": "SELECT 1"}))
while (status := get_runs_id_status.sync(id=str(begun.run_id), client=api).state) in ("pending", "running"):
    time.sleep(0.05)
print(json.dumps({
    "rows": answer.table.rows,
    "sentence": answer.sentence,
    "refused": refused.code,
    "begun": str(status),
}))
