// Ways to choose a query: type, step, click.
const search = byId("search"), options = byId("options");
const MOST_OPTIONS = 50;
let matches = [], active = -1, sequence = data.labels.map((_, q) => q);

function findMatches(typed) {
  const wanted = typed.trim().toLowerCase(), ranks = [[], [], []];
  for (let q = 0; q < nQuery; q++) {
    const name = data.labels[q].toLowerCase();
    if (name === wanted) ranks[0].push(q);
    else if (name.startsWith(wanted)) ranks[1].push(q);
    else if (name.includes(wanted)) ranks[2].push(q);
  }
  return ranks[0].concat(ranks[1], ranks[2]);
}

function openOptions(typed) {
  const found = findMatches(typed);
  matches = found.slice(0, MOST_OPTIONS);
  active = -1;
  const nodes = matches.map((q, i) => {
    const node = make("li", data.labels[q]);
    node.id = "option-" + i;
    node.setAttribute("role", "option");
    node.setAttribute("aria-selected", "false");
    node.append(make("span", level(data.prediction[outputOf(q)][q]) + (data.clusters ? " · " + clusterName(clusterOf(q)) : "")));
    node.addEventListener("mousedown", (event) => { event.preventDefault(); take(q); });
    return node;
  });
  const more = found.length - matches.length;
  if (more > 0 || !found.length) {
    const node = make("li", found.length ? "and " + more + " more: type more of the label" : "no query has such a label", "none");
    node.setAttribute("role", "presentation");
    nodes.push(node);
  }
  options.replaceChildren(...nodes);
  options.hidden = false;
  search.setAttribute("aria-expanded", "true");
  search.removeAttribute("aria-activedescendant");
}

function closeOptions() {
  options.hidden = true;
  active = -1;
  search.setAttribute("aria-expanded", "false");
  search.removeAttribute("aria-activedescendant");
}

function activate(next) {
  if (!matches.length) return;
  if (active >= 0) options.children[active].setAttribute("aria-selected", "false");
  active = (next + matches.length) % matches.length;
  const node = options.children[active];
  node.setAttribute("aria-selected", "true");
  node.scrollIntoView({ block: "nearest" });
  search.setAttribute("aria-activedescendant", node.id);
}

function take(query) {
  closeOptions();
  choose(query);
  search.value = data.labels[choice.query];
}

function step(by) {
  const at = sequence.indexOf(choice.query);
  choose(sequence[(at + by + nQuery) % nQuery]);
}

function onSearchKey(event) {
  const closed = options.hidden;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    if (closed) openOptions("");
    activate(event.key === "ArrowDown" ? active + 1 : active < 0 ? -1 : active - 1);
  } else if (event.key === "Enter" && !closed && matches.length) {
    take(matches[Math.max(active, 0)]);
  } else if (event.key === "Tab") {
    closeOptions();
  } else if (event.key === "Escape") {
    closeOptions();
    search.value = data.labels[choice.query];
  }
}

// a table that is wider than its place needs the arrow keys itself
function scrolls(node) { return node.classList.contains("scroll") && node.scrollWidth > node.clientWidth; }

function onArrow(event) {
  const typing = ["INPUT", "SELECT"].includes(event.target.tagName) || scrolls(event.target);
  if (typing || event.altKey || event.ctrlKey || event.metaKey) return;
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by) { event.preventDefault(); step(by); }
}

function onMapKey(event) {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const at = mapRow(choice.query) + by;
  if (at >= 0 && at < data.map.row.length) choose(data.map.row[at]);
}

function sortQueries() {
  const by = byId("order").value, change = (q) => Math.abs(data.prediction[outputOf(q)][q] - data.baseline[outputOf(q)][q]);
  const key = { table: (q) => q, change: (q) => -change(q), loss: (q) => -data.loss[q],
    cluster: (q) => data.map.place[q] }[by];
  sequence = data.labels.map((_, q) => q).sort((a, b) => key(a) - key(b) || a - b);
}

function addOptions(name, pairs) {
  byId(name).replaceChildren(...pairs.map(([value, text]) => {
    const node = make("option", text);
    node.value = value;
    return node;
  }));
}

function setUpPicker() {
  addOptions("order", [["table", "the table"], ["change", "distance from the baseline"],
    ...(data.loss ? [["loss", "loss, largest first"]] : []), ...(data.map ? [["cluster", "clusters"]] : [])]);
  byId("order").addEventListener("change", () => { sortQueries(); if (byId("order").value !== "table") choose(sequence[0]); });
  search.addEventListener("input", () => openOptions(search.value));
  search.addEventListener("focus", () => search.select());
  search.addEventListener("click", () => { if (options.hidden) { search.select(); openOptions(""); } });
  search.addEventListener("blur", () => { closeOptions(); search.value = data.labels[choice.query]; });
  search.addEventListener("keydown", onSearchKey);
  document.addEventListener("keydown", onArrow);
  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  if (data.words.outputs) {
    byId("output-field").hidden = false;
    addOptions("output", [["-1", "most probable of each query"], ...data.words.outputs.map((name, k) => [String(k), name])]);
  }
}
