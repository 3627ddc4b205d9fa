// What would come out if one column of the chosen query had another value.
const asked = { column: -1, value: -1 };

function drawIf() {
  const found = data.what_if, shown = found ? shownOf(choice.query) : [];
  byId("if-tile").hidden = !shown.length;
  if (!shown.length) return;
  const columns = shown.map((at) => data.small.column[at]), names = shortNames(shown.map(columnName), 40);
  if (!columns.includes(asked.column)) asked.column = columns[0];
  asked.value = -1;
  addOptions("if-column", columns.map((column, i) => [String(column), names[i]]));
  byId("if-column").value = String(asked.column);
  drawValues();
}

// values of the column, with the query's own among them: places along the axis, texts, and what comes out
function ifPoints() {
  const found = data.what_if, q = choice.query, output = outputOf(q);
  const at = shownOf(q).find((one) => data.small.column[one] === asked.column), grid = found.grids[asked.column];
  const value = data.small.value[at], own = grid.place ? found.place[at] : grid.text.indexOf(value);
  const scale = data.exposure ? data.exposure[q] : 1, mean = found.mean[asked.column][output];
  const points = grid.text.map((text, i) => ({ place: grid.place ? grid.place[i] : i, text: text, y: found.curve[output][at][i], mean: scale * mean[i] }));
  let mine = points.find((point) => point.place === own);
  if (!mine) {
    // a missing number or a rare level stands at the right of all others
    const right = grid.place ? aside(points[0].place, points[points.length - 1].place) : points.length;
    mine = grid.place && own !== null ? { place: own, mean: null } : { place: right, mean: null, aside: true };
    points.push(mine);
    points.sort((a, b) => a.place - b.place);
  }
  Object.assign(mine, { own: true, y: data.prediction[output][q], text: value });
  return { points: points, grid: grid, name: cut(columnName(at), 60), mine: mine };
}

function drawValues() {
  const { points, grid, name, mine } = ifPoints(), slider = byId("if-value"), q = choice.query;
  if (asked.value < 0) asked.value = points.indexOf(mine);
  const here = points[asked.value];
  const what = predictionName(outputOf(q));
  slider.max = points.length - 1;
  slider.value = asked.value;
  slider.setAttribute("aria-valuetext", here.text + ", " + level(here.y));
  say("if-said", here === mine ? "As it is, " + name + " = " + mine.text + ": " + what + " " + level(mine.y) + "."
    : "If " + name + " were " + here.text + " instead of " + mine.text + ": " + what + " " + level(here.y) + " instead of " + level(mine.y) + " (" + signed(here.y - mine.y) + ").");
  say("if-note", "Move the slider or click a point; the chosen value is red. All other columns are unchanged. The thin " + (grid.place ? "line is" : "lines are") + " the mean of " + data.what_if.n_mean + " queries" +
    (nQuery > data.what_if.n_mean ? ", evenly spread" : "") + (data.exposure ? ", at this query's exposure" : "") + ". " +
    (grid.place ? "Shaded: range of the training rows; points are their quantiles." : "Shown are the most frequent levels and that of the query."));
  drawIfChart(points, grid, name, what);
}

function drawIfChart(points, grid, name, what) {
  const usual = points.filter((point) => point.mean !== null);
  const tell = (point) => label(name, 40) + " " + label(point.text, 40) + (point.own ? ", its own" : "") + "<br>" + label(what, 40) + " " + level(point.y) +
    (point.mean === null ? "" : "<br>mean " + level(point.mean));
  const trace = (title, some, look) => Object.assign({ type: "scatter", mode: "markers", name: title, x: some.map((point) => point.place), y: some.map((point) => point.y),
    customdata: some.map((point) => points.indexOf(point)), hoverinfo: "text", text: some.map(tell) }, look);
  const traces = [
    trace("mean of queries", usual, { mode: grid.place ? "lines" : "markers", y: usual.map((point) => point.mean), hoverinfo: "skip",
      line: { color: paint.edge, width: 1.2 }, marker: { symbol: "line-ew-open", size: 22, color: paint.edge, line: { width: 1.5 } } }),
    trace("this query", points.filter((point) => !point.aside), { mode: grid.place ? "lines+markers" : "markers", line: { color: paint.ink, width: 2 }, marker: { color: paint.ink, size: 8 } }),
    trace("its own value", points.filter((point) => point.own), { marker: { size: 15, symbol: "circle-open", color: paint.ink, line: { width: 2 } } }),
    trace("chosen", [points[asked.value]], { showlegend: false, marker: { size: 11, color: paint.up } })];
  const range = grid.place ? [{ type: "rect", layer: "below", yref: "paper", x0: grid.place[0], x1: grid.place[grid.place.length - 1], y0: 0, y1: 1,
    fillcolor: paint.band, opacity: 0.5, line: { width: 0 } }] : [];
  const notes = points.filter((point) => point.aside && grid.place).map((point) => Object.assign(missingNote(point.place), { yanchor: "top" }));
  const across = grid.place ? { type: grid.dates ? "date" : "linear", nticks: 6 }
    : levelAxis(points.map((point) => point.text), { range: [-0.5, points.length - 0.5] });
  Plotly.react("if-chart", traces, frame({ height: 330, dragmode: false, hovermode: "closest", showlegend: true, legend: ABOVE, shapes: range, annotations: notes,
    margin: { l: 10, r: 10, t: 8, b: 10 }, xaxis: axis(label(name, isNarrow("if-chart") ? 34 : 60), Object.assign({ fixedrange: true, showgrid: false }, across)),
    yaxis: axis(label(what, 30), { fixedrange: true, nticks: 6 }) }), CONFIG);
  byId("if-chart").removeAllListeners("plotly_click");
  byId("if-chart").on("plotly_click", (event) => askAbout(event.points[0].customdata));
}

function askAbout(value) {
  asked.value = value;
  drawValues();
}

function setUpIf() {
  byId("if-column").addEventListener("change", () => { asked.column = Number(byId("if-column").value); askAbout(-1); });
  byId("if-value").addEventListener("input", () => askAbout(Number(byId("if-value").value)));
}
