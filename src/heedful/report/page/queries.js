// Charts of all queries.
function queryText(query) {
  const output = outputOf(query);
  let text = label(data.labels[query], 40) + "<br>" + label(data.words.prediction, 40) + " " +
    level(data.prediction[output][query]) + "<br>baseline " + level(data.baseline[output][query]);
  if (data.words.outputs) text += "<br>class " + label(data.words.outputs[output], 40);
  if (data.clusters) text += "<br>" + clusterName(clusterOf(query));
  return text;
}

function across(query) {
  const observed = byId("axis").value === "observed";
  return observed ? data.observed.columns[0][query] : data.baseline[outputOf(query)][query];
}

function scatterTraces() {
  const clusters = data.clusters ? data.clusters.size.map((_, i) => i + 1) : [1];
  const ends = [Infinity, -Infinity];
  const traces = clusters.map((cluster) => {
    const members = data.labels.map((_, q) => q).filter((q) => clusterOf(q) === cluster);
    const x = members.map(across), y = members.map((q) => data.prediction[outputOf(q)][q]);
    x.concat(y).forEach((v) => { if (v !== null) { ends[0] = Math.min(ends[0], v); ends[1] = Math.max(ends[1], v); } });
    return { type: "scatter", mode: "markers", x: x, y: y, customdata: members, text: members.map(queryText),
      hoverinfo: "text", name: data.clusters ? data.clusters.name[cluster - 1] : "1",
      marker: { color: hue(cluster), symbol: SIGNS[(cluster - 1) % SIGNS.length], size: nQuery > 800 ? 5 : 8,
        opacity: nQuery > 800 ? 0.6 : 0.85, line: { color: paint.paper, width: nQuery > 800 ? 0 : 0.7 } } };
  });
  const line = { type: "scatter", mode: "lines", x: ends, y: ends, hoverinfo: "skip", showlegend: false,
    line: { color: paint.edge, width: 1, dash: "dot" } };
  return [line].concat(traces, [ring()]);
}

function ring() {
  const q = choice.query;
  return { type: "scatter", mode: "markers", x: [across(q)], y: [data.prediction[outputOf(q)][q]], hoverinfo: "skip",
    showlegend: false, marker: { size: 18, symbol: "circle-open", color: paint.ink, line: { width: 2.5 } } };
}

function drawScatter() {
  const observed = byId("axis").value === "observed";
  say("scatter-head", "All queries: " + (data.words.outputs && choice.output < 0 ? "probability of the most probable class" : predictionName(choice.output)));
  const many = data.clusters && data.clusters.size.length > 1;
  const layout = frame({ height: many ? 372 : 340, hovermode: "closest", xaxis: axis(observed ? "response" : "baseline"),
    yaxis: axis("attention"), showlegend: many,
    legend: Object.assign({ title: { text: "cluster" }, itemsizing: "constant" }, ABOVE) });
  Plotly.react("scatter", scatterTraces(), layout, CONFIG);
}

function moveRing() {
  const at = byId("scatter").data.length - 1, found = ring();
  Plotly.restyle("scatter", { x: [found.x], y: [found.y] }, [at]);
}

function mapValues() {
  const width = data.map.feature.length;
  return data.map.row.map((q, i) => data.map.value[outputOf(q)].slice(i * width, (i + 1) * width));
}

function drawMap() {
  const map = data.map, z = mapValues(), rows = map.row.length;
  const names = map.feature.map((j) => label(data.features[j], 22));
  const hover = map.row.map((q, i) => map.feature.map((j, c) => label(data.labels[q], 40) + "<br>" +
    label(data.features[j], 40) + " " + show(z[i][c]) + "<br>" + clusterName(clusterOf(q))));
  const n = data.clusters.size.length;
  const steps = data.clusters.size.flatMap((_, i) => [[i / n, hue(i + 1)], [(i + 1) / n, hue(i + 1)]]);
  const band = { type: "heatmap", z: map.row.map((q) => [clusterOf(q)]), x: [0], xaxis: "x2", zmin: 0.5, zmax: n + 0.5,
    colorscale: steps, showscale: false, hoverinfo: "text", text: map.row.map((q) => [clusterName(clusterOf(q))]) };
  const cells = { type: "heatmap", z: z, x: names.map((_, j) => j), zmin: -map.limit, zmax: map.limit, zmid: 0,
    colorscale: [[0, paint.down], [0.25, paint.downSoft], [0.5, paint.none], [0.75, paint.upSoft], [1, paint.up]],
    hoverinfo: "text", text: hover, showscale: false };
  const few = rows <= 30, stride = Math.ceil(names.length / 30);
  const named = names.map((_, j) => j).filter((j) => j % stride === 0);
  const height = 90 + Math.min(520, Math.max(200, rows * (few ? 16 : 5)));
  const layout = frame({ height: height, margin: { l: 8, r: 8, t: 6, b: 6 },
    xaxis: axis("", { domain: [0.045, 1], tickvals: named, ticktext: named.map((j) => names[j]), showgrid: false,
      tickangle: names.length > 4 ? -60 : 0, tickfont: { size: named.length > 20 ? 9 : 11 }, range: [-0.5, names.length - 0.5] }),
    xaxis2: { domain: [0, 0.035], showticklabels: false, ticks: "", showgrid: false, zeroline: false, range: [-0.5, 0.5],
      fixedrange: true },
    yaxis: axis("", { range: [rows - 0.5, -0.5], showgrid: false, anchor: "free", position: 0,
      showticklabels: few, ticks: "", tickvals: few ? map.row.map((_, i) => i) : [],
      ticktext: few ? map.row.map((q) => label(data.labels[q], 14)) : [] }),
    shapes: [rowMark()] });
  say("low", show(-map.limit, 2));
  say("high", "+" + show(map.limit, 2));
  Plotly.react("map", [cells, band], layout, CONFIG);
}

// the row of the map that shows a query, or the one nearest to it in the order of the clusters
function mapRow(query) {
  const place = data.map.place, at = place[query];
  let best = 0, least = Infinity;
  data.map.row.forEach((q, i) => {
    const far = Math.abs(place[q] - at);
    if (far < least) { least = far; best = i; }
  });
  return best;
}

function rowMark() {
  const at = mapRow(choice.query), half = Math.max(0.5, data.map.row.length / 160);
  return { type: "rect", xref: "paper", x0: 0, x1: 1, y0: at - half, y1: at + half, line: { color: paint.ink, width: 2 } };
}

function moveMark() { Plotly.relayout("map", { shapes: [rowMark()] }); }
