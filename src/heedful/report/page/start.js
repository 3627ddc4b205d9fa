// Put everything on the page.
const MEASURE = (data.words.seen ? "error" : data.words.error) + " on held-out rows";

function fillMapNote() {
  const map = data.map, thinned = map.row.length < nQuery, fewer = map.feature.length < map.n_used;
  let text = "One row per query, sorted by cluster, with clusters at the left; one column per feature.";
  if (thinned) text += " Shown are " + map.row.length + " of " + nQuery + " queries, evenly spread over the clusters, and all prototypes.";
  if (fewer) text += " Shown are the " + map.feature.length + " of " + map.n_used + " features with the largest coefficients.";
  if (map.feature.length > 30) text += " Not every column is labelled: point at a cell for its name.";
  if (data.words.outputs) text += choice.output < 0 ? " Each row is for the most probable class of its query."
    : " All rows are for class " + data.words.outputs[choice.output] + ".";
  say("map-note", text);
  if (!data.slopes) { say("map-head", "Importances (in the local models)"); say("unit", "share of the model"); }
}

function drawGroups() {
  if (!data.map) { byId("map-tile").hidden = true; return; }
  fillMapNote();
  clustersTable();
  if (data.map.feature.length) drawMap();
  else { byId("map").hidden = true; say("map-note", "No local lasso has a coefficient: all local models are weighted means."); }
}

function drawAll() {
  drawGain();
  drawWhole();
  drawScatter();
  drawGroups();
  drawPanel();
  drawCurves();
}

function onChoice() {
  search.value = data.labels[choice.query];
  keepLink();
  drawPanel();
  followCurves();
  moveRing();
  if (data.map) {
    markCluster();
    if (data.map.feature.length) moveMark();
  }
}

function listenToCharts() {
  byId("scatter").on("plotly_click", (event) => {
    const query = event.points[0].customdata;
    if (typeof query === "number") choose(query);
  });
  if (data.map && data.map.feature.length) {
    byId("map").on("plotly_click", (event) => choose(data.map.row[event.points[0].y]));
    byId("map").addEventListener("keydown", onMapKey);
  }
}

function start() {
  const numeric = data.words.numeric && data.observed && typeof data.observed.columns[0][0] === "number";
  addOptions("axis", [["baseline", "the baseline"], ...(numeric ? [["observed", "the response"]] : [])]);
  byId("axis-field").hidden = !numeric;
  byId("axis").addEventListener("change", drawScatter);
  byId("output").addEventListener("change", () => { choice.output = Number(byId("output").value); sortQueries(); drawAll(); });
  fillHead();
  fillAnswers();
  setUpPicker();
  setUpWhole();
  setUpIf();
  search.value = data.labels[0];
  drawAll();
  fillTuning("A head is one similarity with its temperature and penalty. Lines: lowest error over penalties; " +
    "larger signs have larger shares.", MEASURE);
  listenToCharts();
  listenToWhole();
  followScheme(() => { drawAll(); drawCurve(MEASURE); });
  choice.listeners.push(onChoice);
  window.addEventListener("hashchange", followLink);
  followLink();
  document.documentElement.dataset.ready = "yes";
}

start();
