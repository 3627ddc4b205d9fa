// What was tried: errors and shares.
// note: what a head is; measure: what its error is called
function fillTuning(note, measure) {
  const found = data.tuning, listed = found.rows.length;
  say("tuning-note", note + " Table: " + (listed < found.n_heads ? listed + " of " + found.n_heads : "all " + listed) + " heads, by share.");
  const words = new Set(["similarity", "weighting"]);
  fillTable("heads", found.names.map((name) => [name.replace(/_/g, " "), words.has(name)]), found.rows);
  drawCurve(measure);
}

function drawCurve(measure) {
  const curve = data.tuning.curve, known = curve.lines.flatMap((line) => line.error).filter((v) => v !== null);
  if (!known.length) { byId("curve").hidden = true; return; }
  const traces = curve.lines.map((line, i) => ({ type: "scatter", mode: "lines+markers", name: label(line.name, 30),
    x: curve.ways.map((_, j) => j), y: line.error, hoverinfo: "text",
    text: curve.ways.map((way, j) => label(line.name, 30) + ", " + label(way, 30) + "<br>error " + show(line.error[j]) +
      "<br>share " + percent(line.share[j])),
    line: { color: series(i), width: 1.5, dash: i % 2 ? "dash" : "solid" },
    marker: { symbol: SIGNS[i % SIGNS.length], color: series(i), size: line.share.map((s) => 6 + 22 * Math.sqrt(s)) } }));
  const low = Math.min(...known), sorted = known.slice().sort((a, b) => a - b);
  const high = Math.min(sorted[sorted.length - 1], low + 4 * (sorted[Math.floor(sorted.length / 2)] - low) || low * 1.5 || 1);
  const room = 0.12 * (high - low || 1);
  Plotly.react("curve", traces, frame({ height: 340, showlegend: true, dragmode: false,
    legend: ABOVE,
    xaxis: axis(curve.free ? "temperature, then weightings without one" : "temperature", {
      tickvals: curve.ways.map((_, j) => j), ticktext: curve.ways.map((way) => label(way, 14)),
      fixedrange: true, range: [-0.5, curve.ways.length - 0.5] }),
    yaxis: axis(measure, { range: [low - room, high + room], fixedrange: true }) }), CONFIG);
}
