// Whether a model has drifted, when, and where.
const TOGGLE = Object.assign({}, ABOVE, { itemclick: "toggle", traceorder: "normal" });

// the same in all charts over time
function timeAxis() {
  const at = data.rows.at.filter((v) => v !== null).map((v) => (data.words.dates ? Date.parse(v + "Z") : v));
  const first = at[0], last = at[at.length - 1], room = 0.02 * (last - first);
  return axis(data.words.when, Object.assign({ type: data.words.dates ? "date" : "linear", nticks: 10 },
    room > 0 ? { range: [first - room, last + room] } : {}));
}

// a date without a time of day that is nothing but zeros
function moment(at) {
  return data.words.dates ? String(at).replace(/(:00)?\.000$/, "").replace(/T00:00$/, "").replace("T", " ") : String(at);
}

function rowText(i) {
  const rows = data.rows;
  return label(rows.label[i], 40) + "<br>" + data.words.when + " " + moment(rows.at[i]) +
    (rows.response ? "<br>response " + label(show(rows.response[i]), 40) : "") + "<br>model " + show(rows.model[i]) +
    ", corrected " + show(rows.corrected[i]) + "<br>residual " + show(rows.residual[i]) + ", correction " + show(rows.correction[i]);
}

function blockText(i) {
  const found = data.blocks;
  const around = data.words.when === "time" ? ", around " + moment(found.at[i]) : "";
  return "rows " + found.first[i] + " to " + found.last[i] + around;
}

// one name in the legend stands for the points and their line
function dots(name, values, colour, texts) {
  const many = data.rows.at.length > 800;
  return { type: "scatter", mode: "markers", name: name, legendgroup: name, showlegend: false, x: data.rows.at, y: values,
    text: texts, hoverinfo: "text", marker: { color: colour, size: many ? 4 : 5.5, opacity: many ? 0.4 : 0.45 } };
}

function line(name, values, colour, what) {
  return { type: "scatter", mode: "lines+markers", name: name, legendgroup: name, x: data.blocks.at, y: values, hoverinfo: "text",
    text: values.map((v, i) => what + " " + show(v) + "<br>" + blockText(i)),
    line: { color: colour, width: 2.5 }, marker: { color: colour, size: 6, line: { color: paint.paper, width: 1 } } };
}

function drawTimeline() {
  const rows = data.rows, blocks = data.blocks, texts = rows.at.map((_, i) => rowText(i)), shown = rows.at.length;
  let note = "Residual: response minus prediction of the model. Correction: estimated from the other recent rows. " +
    "Lines: means over blocks of rows; a correction that removes a drift follows the residuals.";
  if (data.words.classes) note += " Both are for probabilities: of the second of two classes, or of the model's most probable class.";
  if (shown < rows.n) note += " Points: " + shown + " of " + rows.n + " rows, evenly spread; the lines are of all rows.";
  say("timeline-note", note);
  Plotly.react("timeline", [dots("residual", rows.residual, series(1), texts), dots("correction", rows.correction, series(3), texts),
    line("residual", blocks.residual, series(1), "mean residual"), line("correction", blocks.correction, series(3), "mean correction")],
  frame({ height: 400, hovermode: "closest", showlegend: true, legend: TOGGLE, xaxis: timeAxis(),
    yaxis: axis("residual, correction", { zeroline: true, zerolinecolor: paint.edge }) }), CONFIG);
}

function drawErrors() {
  const blocks = data.blocks, n = blocks.at.length, high = Math.max(...blocks.before, ...blocks.after) || 1;
  say("errors-note", (n > 1 ? "The recent rows in " + n + " equal blocks" : "The recent rows in one block") + ", " +
    (data.words.when === "time" ? "in order of time" : "in their order") + ": " + data.words.error +
    " of the model, and of each row corrected by the others.");
  Plotly.react("errors", [line("before", blocks.before, series(1), "error before"), line("after", blocks.after, series(3), "error after")],
    frame({ height: 300, hovermode: "closest", showlegend: true, legend: TOGGLE, xaxis: timeAxis(),
      yaxis: axis(label(data.words.error, 40), { range: [-0.06 * high, 1.08 * high] }) }), CONFIG);
}

function fillTests() {
  const tests = data.tests, found = data.columns;
  say("tests-note", !tests.name.length ? "Recent rows are too few to be tested." : "Each p value is uniform between 0 and 1 under " +
    "the null hypothesis; 0.01 or less counts as significant." + (found.n ? "" : " Tests of drift need a reference."));
  fillTable("tests", [["test", true], ["p"], ["a small one means", true]],
    tests.name.map((name, i) => [name, tests.p[i] < 0.001 ? "< 0.001" : show(tests.p[i], 2), tests.meaning[i]]));
  byId("periods").hidden = !found.n;
  if (!found.n) return;
  say("both-note", found.note + (found.name.length < found.n ? " Shown are " + found.name.length + " of " + found.n + "." : ""));
  fillTable("both", [["column", true], ["mean before"], ["mean after"], ["separation"], ["effect before"], ["effect after"],
    ["change"], ["standard error"]], found.name.map((name, i) => [name, ...["mean_before", "mean_after", "separation",
    "effect_before", "effect_after", "change", "standard_error"].map((what) => show(found[what][i], 3))]));
}

function fillFeatures() {
  const found = data.features, shown = found.name.map((name, i) => [name, found.separation[i]]);
  const fewer = shown.length < found.n ? " Shown are the " + shown.length + " of " + found.n + " columns that differ most." : "";
  say("features-note", found.note + fewer);
  byId("features").hidden = !shown.length;
  if (!shown.length) return;
  barChart("bars", shown, { title: "separation", ends: [0, 1.15], write: (v) => show(v, 2), colour: () => series(3) });
  const usual = (value, i) => (found.kind[i] === "number" ? "" : "mostly ") + show(value);
  const words = found.kind.some((kind) => kind !== "number");
  fillTable("usual", [["column", true], ["separation"], ["corrected", words], ["others", words]],
    found.name.map((name, i) => [name, show(found.separation[i], 2), usual(found.corrected[i], i), usual(found.others[i], i)]));
}

function drawCounts(name, found, title) {
  byId(name).hidden = !found;
  if (!found) return;
  const edges = found.edges, width = edges.slice(1).map((v, i) => v - edges[i]);
  const trace = (what, values, colour) => ({ type: "bar", name: what, x: width.map((w, i) => edges[i] + w / 2), y: values,
    width: width, marker: { color: colour, line: { color: paint.paper, width: 0.5 } }, hoverinfo: "text", textposition: "none",
    text: values.map((v, i) => show(v) + " " + what + "<br>" + show(edges[i], 3) + " to " + show(edges[i + 1], 3)) });
  Plotly.react(name, [trace("corrected", found.corrected, series(3)), trace("others", found.others, paint.pale)],
    frame({ height: 300, barmode: "stack", dragmode: false, showlegend: true, legend: TOGGLE,
      xaxis: axis(title, { fixedrange: true, nticks: 8 }), yaxis: axis("queries", { fixedrange: true }) }), CONFIG);
}

function drawAll() {
  const found = data.queries;
  drawTimeline();
  drawErrors();
  fillTests();
  fillFeatures();
  say("corrections-note", found.n_corrected + " of " + found.n + " queries are corrected significantly.");
  drawCounts("corrections", found.correction, "correction");
  drawCounts("support", found.n_eff, "effective sample size");
  fillTuning(data.tuned, label(data.words.error, 40));
}

function start() {
  fillHead();
  drawAll();
  followScheme(drawAll);
  document.documentElement.dataset.ready = "yes";
}

start();
