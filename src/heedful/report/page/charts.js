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

// bars beside their names; shown: [name, value], look: what the axis is called and its ends, how numbers are written, colours
function barChart(name, shown, look) {
  const parts = shown.map((row) => row[1]);
  const trace = { type: "bar", orientation: "h", x: parts, y: shown.map((_, i) => i), hoverinfo: "text",
    hovertext: shown.map((row) => label(row[0], 60) + "<br>" + look.write(row[1])), text: parts.map((v) => look.write(v)),
    textposition: "outside", cliponaxis: false, marker: { color: parts.map((v) => look.colour(v)) } };
  Plotly.react(name, [trace], frame({ height: 60 + 26 * shown.length, dragmode: false, bargap: 0.3,
    margin: { l: 10, r: 10, t: 4, b: 40 },
    xaxis: axis(look.title, { range: look.ends, nticks: 6, fixedrange: true, zeroline: true, zerolinecolor: paint.edge }),
    yaxis: axis("", { range: [shown.length - 0.5, -0.5], tickvals: shown.map((_, i) => i), showgrid: false, fixedrange: true,
      ticktext: shortNames(shown.map((row) => row[0]), byId(name).clientWidth < 420 ? 20 : 26).map((text) => label(text, 30)) }) }), CONFIG);
}
