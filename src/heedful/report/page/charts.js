// How every chart looks.
const FONT = { family: "system-ui, Segoe UI, Roboto, Arial, DejaVu Sans, sans-serif", size: 12, color: INK };
const CONFIG = { displayModeBar: false, responsive: true, showTips: false };
const DRAG = window.matchMedia("(pointer: coarse)").matches ? false : "zoom";
const HOVER = { bgcolor: "#fff", bordercolor: "#8793a0", font: { color: INK, size: 12 }, align: "left" };
const ABOVE = { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, itemclick: false, itemdoubleclick: false };

function frame(extra) {
  return Object.assign({ font: FONT, hoverlabel: HOVER, dragmode: DRAG, paper_bgcolor: "#fff", plot_bgcolor: "#fff",
    margin: { l: 56, r: 10, t: 8, b: 44 }, showlegend: false }, extra);
}

function axis(title, extra) {
  return Object.assign({ title: { text: title, standoff: 8 }, gridcolor: "#e6ebf0", zeroline: false, automargin: true,
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
    xaxis: axis(look.title, { range: look.ends, nticks: 6, fixedrange: true, zeroline: true, zerolinecolor: "#8793a0" }),
    yaxis: axis("", { range: [shown.length - 0.5, -0.5], tickvals: shown.map((_, i) => i), showgrid: false, fixedrange: true,
      ticktext: shown.map((row) => label(row[0], 22)) }) }), CONFIG);
}
