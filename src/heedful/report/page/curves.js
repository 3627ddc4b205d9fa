// The curves of the chosen query's model, one chart for each column.

function drawCurves() {
  const found = data.curves;
  if (!found) { byId("curves-tile").hidden = true; return; }
  const box = byId("curves");
  if (!box.childElementCount) found.columns.forEach((column, i) => {
    const part = make("div");
    part.append(make("h3", column.name), chartNode("curve-" + i, "What each value of " + column.name + " adds"));
    box.append(part);
  });
  const own = multiplesOf(choice.query), there = own.some((factor) => factor !== 0);
  box.hidden = !there;
  if (there) found.columns.forEach((column, i) => drawOneCurve("curve-" + i, timesMultiples(column, own), 0));
  sayCurves(own, there);
}

// how much of each class's curves is in the model of the query's class
function multiplesOf(q) {
  const n = data.words.outputs ? data.words.outputs.length : 1, at = (q * n + outputOf(q)) * n;
  return data.curves.multiple.slice(at, at + n);
}

// a column as it enters the model: its curves times the query's multiples
function timesMultiples(column, own) {
  const sum = (heights) => +own.reduce((total, factor, k) => total + factor * heights[k], 0).toPrecision(4);
  const effect = column.effect[0].map((_, i) => sum(column.effect.map((heights) => heights[i])));
  return Object.assign({}, column, { effect: [effect], missing: column.missing && [sum(column.missing)] });
}

// a query may have another likeliest class, and has multiples of its own
function followCurves() { if (data.curves) drawCurves(); }

function sayCurves(own, there) {
  const found = data.curves, name = "query " + data.labels[choice.query];
  let text = "Shape functions: what each value of a column adds to the " + linkName(outputOf(choice.query)) + " of " + name + ", besides the coefficients of its lassos; bars count training rows.";
  if (own.length === 1) text += " They are " + show(own[0], 3) + " times those of the additive model that all queries share.";
  if (!there) text = "The model of " + name + " has no shape functions.";
  else if (!found.columns.length) text = "The additive model has no shape functions: no column contributes.";
  else if (found.columns.length < found.n_columns) text += " Shown are " + found.columns.length + " of " + found.n_columns +
    " columns, " + (found.n_bent > found.columns.length ? "those that vary most." : "all that are not constant.");
  say("curves-note", text);
}

function drawOneCurve(name, column, output) {
  const parts = column.edges ? stepTraces(column, output) : levelTraces(column, output);
  const rows = { type: "bar", x: parts.places, y: parts.counts, width: parts.widths, yaxis: "y2", hoverinfo: "text",
    hovertext: parts.counts.map((count) => show(count) + " rows"), textposition: "none", marker: { color: paint.pale } };
  const notes = parts.missing === undefined ? [] : [missingNote(parts.missing)];
  Plotly.react(name, [parts.trace, ...parts.more, rows], frame({ height: parts.height, dragmode: false, bargap: 0.2,
    margin: { l: 10, r: 10, t: 18, b: 10 }, annotations: notes,
    xaxis: axis("", Object.assign({ fixedrange: true, showgrid: false, anchor: "y2" }, parts.xaxis)),
    yaxis: zeroAxis("", { domain: [0.24, 1], nticks: 5, rangemode: "tozero" }),
    yaxis2: { domain: [0, 0.18], fixedrange: true, showgrid: false, showticklabels: false, zeroline: false } }), CONFIG);
}

function stepTraces(column, output) {
  const edges = column.edges, heights = column.effect[output], last = edges.length - 1, span = edges[last] - edges[0];
  const end = (at) => (at === 0 || at === last ? "" : show(edges[at], 5));
  const told = heights.map((v, i) => (end(i) ? (end(i + 1) ? end(i) + " to " + end(i + 1) : "from " + end(i))
    : end(i + 1) ? "to " + end(i + 1) : "all") + "<br>adds " + signed(v) + "<br>" + show(column.rows[i]) + " rows");
  const trace = { type: "scatter", mode: "lines", x: edges, y: [...heights, heights[last - 1]], text: [...told, told[last - 1]],
    hoverinfo: "text", line: { shape: "hv", color: paint.ink, width: 1.6 } };
  const bars = countBars(edges, column.rows, 40);
  const found = { trace: trace, more: [], places: bars.places, counts: bars.counts, widths: bars.places.map(() => span / 40),
    height: 210, xaxis: { range: [edges[0] - 0.03 * span, edges[last] + 0.03 * span], nticks: 6 } };
  if (!column.missing) return found;
  const at = aside(edges[0], edges[last]);
  found.more.push({ type: "scatter", mode: "markers", x: [at], y: [column.missing[output]], hoverinfo: "text",
    text: ["missing<br>adds " + signed(column.missing[output]) + "<br>" + show(column.missing_rows) + " rows"],
    marker: { color: paint.ink, size: 8 } });
  found.places.push(at);
  found.counts.push(column.missing_rows);
  found.widths.push(span / 40);
  return Object.assign(found, { missing: at, xaxis: { range: [edges[0] - 0.03 * span, at + 0.12 * span], nticks: 6 } });
}

// rows of so many equal parts of the range, spread evenly within each piece
function countBars(edges, rows, n) {
  const low = edges[0], width = (edges[edges.length - 1] - low) / n, counts = new Array(n).fill(0), places = [];
  for (let b = 0; b < n; b++) {
    const from = low + b * width, to = from + width;
    places.push(from + width / 2);
    rows.forEach((count, i) => {
      const inside = Math.min(to, edges[i + 1]) - Math.max(from, edges[i]);
      if (inside > 0) counts[b] += count * inside / (edges[i + 1] - edges[i]);
    });
  }
  return { places: places, counts: counts.map((v) => +v.toPrecision(3)) };
}

function levelTraces(column, output) {
  const names = column.levels.concat(column.missing ? ["missing"] : []);
  const heights = column.effect[output].concat(column.missing ? [column.missing[output]] : []);
  const rows = column.rows.concat(column.missing ? [column.missing_rows] : []), places = names.map((_, i) => i);
  const told = names.map((name, i) => label(name, 60) + "<br>adds " + signed(heights[i]) + "<br>" + show(rows[i]) + " rows");
  const trace = { type: "bar", x: places, y: heights, hovertext: told, hoverinfo: "text", textposition: "none",
    marker: { color: heights.map((v) => (v > 0 ? paint.up : paint.down)) } };
  const more = column.n_levels - column.levels.length;
  const across = levelAxis(names, { range: [-0.6, names.length - 0.4],
    title: { text: more ? more + " rarer levels are left out" : "", font: { size: 11 } } });
  return { trace: trace, more: [], places: places, counts: rows, widths: places.map(() => 0.8), height: across.tickangle ? 280 : 210, xaxis: across };
}
