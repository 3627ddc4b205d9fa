// The whole model: which columns matter, and what they add.
const PARTS = [["attention", "through attention", "#35978F"], ["model", "through own models", "#BF812D"]];

function optionOf() { return data.words.outputs ? choice.output + 1 : 0; }

function scaleWords() {
  const outputs = data.words.outputs;
  if (!outputs) return data.words.link;
  return data.words.link + " of " + (choice.output < 0 ? "the likeliest class" : "class " + outputs[choice.output]);
}

function drawWhole() {
  drawImportance();
  drawPicture();
}

function drawImportance() {
  const found = data.whole.bars[optionOf()], names = data.drivers.names, n = found.column.length;
  const rows = found.n_others ? n + 1 : n, places = Array.from({ length: rows }, (_, i) => i);
  const name = (i) => (i < n ? names[found.column[i]] : "sum of " + found.n_others + " others");
  const parts = found.attention ? PARTS : [["contribution", "contribution", paint.pale]];
  const told = places.map((i) => label(name(i), 60) + "<br>" + show(found.contribution[i], 3) +
    (found.attention ? PARTS.map(([part, words]) => "<br>" + words + " " + show(found[part][i], 3)).join("") : ""));
  const traces = parts.map(([part, words, colour]) => ({ type: "bar", orientation: "h", name: words, y: places,
    x: found[part].slice(0, rows), hoverinfo: "text", hovertext: told, textposition: "none", marker: { color: colour } }));
  Plotly.react("importance", traces, frame({ height: 92 + 24 * rows, barmode: "relative", bargap: 0.3, dragmode: false,
    showlegend: parts.length > 1, legend: ABOVE, margin: { l: 10, r: 10, t: 8, b: 40 },
    xaxis: zeroAxis("mean absolute contribution"), yaxis: rowAxis(rowNames("importance", places.map(name))) }), CONFIG);
  const first = shortNames(found.column.slice(0, 3).filter((_, i) => found.contribution[i] > 0).map((j) => names[j]), 50);
  say("whole-note", (first.length ? "Most important over all " + nQuery + " queries: " + first.join(", ") + ". " : "No column contributes. ") +
    "A contribution is what a column adds to " + withArticle(data.words.noun) + (scaleWords() === data.words.noun ? "" : " (" + scaleWords() + ")") + ", starting from the mean over the training rows." +
    (found.attention ? " It has two parts: through attention (the weights of the training rows), and through the query's local model." : ""));
}

// points at one place side by side; as in heedful.plot
function swarm(values, half) {
  const known = values.filter((v) => v !== null), low = Math.min(...known), span = Math.max(...known) - low || 1;
  const count = new Map(), steps = values.map((v) => {
    const bin = Math.floor(90 * (v - low) / span), rank = count.get(bin) || 0;
    count.set(bin, rank + 1);
    return Math.floor((rank + 1) / 2) * (rank % 2 ? 1 : -1);
  });
  const most = Math.max(5, ...steps.map(Math.abs));
  return steps.map((s) => s * half / most);
}

function cellText(column, i) {
  const value = column.place[i];
  if (value === null) return column.missing.includes(i) ? "missing" : "another level";
  if (column.levels.length) return label(column.levels[value], 40);
  return column.dates ? new Date(value).toISOString().slice(0, 10) : show(value);
}

function pointTexts(column, added) {
  return data.whole.query.map((q, i) => label(data.labels[q], 40) + "<br>" + label(column.name, 40) + ": " + cellText(column, i) +
    "<br>adds " + signed(added[i]));
}

function points(x, y, column, added) {
  return { type: "scatter", mode: "markers", x: x, y: y, customdata: data.whole.query, text: pointTexts(column, added),
    hoverinfo: "text", marker: { size: 5, color: column.rank.map(onScale), opacity: 0.85 } };
}

function drawPicture() {
  const at = Number(byId("picture").value), all = at < 0;
  byId("picture-scale").hidden = !all && data.whole.columns[at].levels.length > 0;
  if (all) drawBeeswarm();
  else drawEffect(data.whole.columns[at], data.whole.added[optionOf()][at]);
}

function drawBeeswarm() {
  const columns = data.whole.columns, added = data.whole.added[optionOf()];
  const traces = columns.map((column, j) => points(added[j], swarm(added[j], 0.4).map((s) => j + s), column, added[j]));
  Plotly.react("effect", traces, frame({ height: 60 + 34 * columns.length, hovermode: "closest", margin: { l: 10, r: 10, t: 4, b: 40 },
    xaxis: zeroAxis("adds to the " + label(scaleWords(), 44), { fixedrange: false }),
    yaxis: rowAxis(rowNames("effect", columns.map((column) => column.name)), { range: [columns.length - 0.4, -0.6] }) }), CONFIG);
}

// missing numbers stand at the right of all others
function drawEffect(column, added) {
  const levels = column.levels.length, known = column.place.filter((v) => v !== null);
  const right = levels ? levels : known.length ? aside(Math.min(...known), Math.max(...known)) : 0, gone = new Set(column.missing);
  const place = column.place.map((v, i) => (gone.has(i) ? right : v));
  if (levels) for (let level = 0; level <= levels; level++) {
    const here = place.map((v, i) => (v === level ? i : -1)).filter((i) => i >= 0);
    swarm(here.map((i) => added[i]), 0.35).forEach((s, k) => { place[here[k]] += s; });
  }
  const across = levels ? levelAxis(column.levels.concat(gone.size ? ["missing"] : []), { showgrid: false })
    : { type: column.dates ? "date" : "linear", nticks: 6 };
  const notes = levels || !gone.size ? [] : [missingNote(right)];
  const some = levels && levels < column.n_levels ? " (" + levels + " of " + column.n_levels + " levels)" : "";
  Plotly.react("effect", [points(place, added, column, added)], frame({ height: 400, hovermode: "closest", annotations: notes,
    margin: { l: 10, r: 10, t: 20, b: 40 }, xaxis: axis(label(column.name, 40) + some, across),
    yaxis: zeroAxis("adds to the " + label(scaleWords(), 34), { fixedrange: false, nticks: 0 }) }), CONFIG);
}

function setUpWhole() {
  const names = shortNames(data.whole.columns.map((column) => column.name), 40);
  addOptions("picture", [["-1", "the most important"], ...data.whole.columns.map((column, j) => [String(j), names[j]])]);
  byId("picture").addEventListener("change", drawPicture);
  const few = data.whole.query.length;
  say("picture-note", "A point is a query" + (few < nQuery ? " (" + few + " of " + nQuery + " are shown)" : "") +
    ". Choose a column to see its contributions against its values; click a point to see its query.");
}

function listenToWhole() {
  byId("effect").on("plotly_click", (event) => choose(event.points[0].customdata));
  byId("importance").on("plotly_click", (event) => {
    const found = data.whole.bars[optionOf()], name = data.drivers.names[found.column[event.points[0].y]];
    const at = data.whole.columns.findIndex((column) => column.name === name);
    if (at >= 0) { byId("picture").value = String(at); drawPicture(); }
  });
}
