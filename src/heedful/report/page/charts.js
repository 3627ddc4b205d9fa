// How every chart looks.
const FAMILY = "system-ui, Segoe UI, Roboto, Arial, DejaVu Sans, sans-serif";
const CONFIG = { displayModeBar: false, responsive: true, showTips: false };
const DRAG = window.matchMedia("(pointer: coarse)").matches ? false : "zoom";
const ABOVE = { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, itemclick: false, itemdoubleclick: false };

function frame(extra) {
  const hover = { bgcolor: paint.paper, bordercolor: paint.edge, font: { color: paint.ink, size: 12 }, align: "left" };
  return Object.assign({ font: { family: FAMILY, size: 12, color: paint.ink }, hoverlabel: hover, dragmode: DRAG,
    paper_bgcolor: paint.paper, plot_bgcolor: paint.paper,
    margin: { l: 56, r: 10, t: 8, b: 44 }, showlegend: false }, extra);
}

function axis(title, extra) {
  return Object.assign({ title: { text: title, standoff: 8 }, gridcolor: paint.grid, zeroline: false, automargin: true,
    type: "linear" }, extra);
}

// an axis through which a line stands at zero
function zeroAxis(title, extra) {
  return axis(title, Object.assign({ nticks: 6, fixedrange: true, zeroline: true, zerolinecolor: paint.edge }, extra));
}

// rows from the top, each with its name
function rowAxis(texts, extra) {
  return axis("", Object.assign({ range: [texts.length - 0.5, -0.5], tickvals: texts.map((_, i) => i), ticktext: texts, showgrid: false,
    fixedrange: true }, extra));
}

// levels side by side, their names turned where they are many or long
function levelAxis(names, extra) {
  const wide = names.length > 4 || names.some((name) => name.length > 8);
  return Object.assign({ tickvals: names.map((_, i) => i), ticktext: shortNames(names, 16).map((name) => label(name, 18)),
    tickangle: wide ? -60 : 0 }, extra);
}

// missing numbers stand at the right of all others, under a note
function aside(low, high) { return high + 0.14 * (high - low || 1); }

function missingNote(x) {
  return { text: "missing", x: x, xref: "x", y: 1, yref: "paper", yanchor: "bottom", showarrow: false, font: { size: 11, color: paint.soft } };
}

function isNarrow(name) { return byId(name).clientWidth < 420; }

function rowNames(name, names, narrow = 18) { return shortNames(names, isNarrow(name) ? narrow : 26).map((text) => label(text, 30)); }

function chartNode(name, meaning) {
  const node = make("div", null, "plot");
  node.id = name;
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", meaning);
  return node;
}

// bars beside their names; shown: [name, value], look: what the axis is called and its ends, how numbers are written, colours
function barChart(name, shown, look) {
  const parts = shown.map((row) => row[1]);
  const trace = { type: "bar", orientation: "h", x: parts, y: shown.map((_, i) => i), hoverinfo: "text",
    hovertext: shown.map((row) => label(row[0], 60) + "<br>" + look.write(row[1])), text: parts.map((v) => look.write(v)),
    textposition: "outside", cliponaxis: false, marker: { color: parts.map((v) => look.colour(v)) } };
  Plotly.react(name, [trace], frame({ height: 60 + 26 * shown.length, dragmode: false, bargap: 0.3,
    margin: { l: 10, r: 10, t: 4, b: 40 }, xaxis: zeroAxis(look.title, { range: look.ends }),
    yaxis: rowAxis(rowNames(name, shown.map((row) => row[0]), 20)) }), CONFIG);
}
