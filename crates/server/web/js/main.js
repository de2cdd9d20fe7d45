// The first page: which datasets there are, as the API tells.
// @ts-check

const list = /** @type {HTMLElement} */ (document.getElementById("datasets"));

/** @param {string} text */
function line(text) {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
}

try {
  const response = await fetch("/datasets");
  const said = await response.json();
  if (!response.ok) throw new Error(said.title);
  list.replaceChildren(
    ...said.datasets.map((/** @type {{id: string, description: string}} */ dataset) =>
      line(`${dataset.id}: ${dataset.description}`),
    ),
  );
} catch (error) {
  list.replaceChildren(line(`The datasets cannot be shown: ${error instanceof Error ? error.message : error}`));
}
