// The chosen query, and what belongs to it.
const nQuery = data.labels.length;
const choice = { query: 0, output: -1, listeners: [] };

function signed(value) { return (value > 0 ? "+" : "") + show(value, 3); }

// a prediction; a probability never looks like certainty that it is not
function level(value) {
  if (!data.words.probability || value === null) return show(value);
  if (value > 0.999) return "> 0.999";
  return value < 0.001 ? "< 0.001" : value.toFixed(3);
}

function outputOf(query) {
  if (data.words.outputs === null) return 0;
  return choice.output >= 0 ? choice.output : data.likely[query];
}

// what the page calls the prediction that is shown, and the scale on which contributions add up to it
function predictionName(output) { return data.words.outputs ? "probability of " + data.words.outputs[output] : data.words.prediction; }

function linkName(output) { return data.words.link + (data.words.outputs ? " of class " + data.words.outputs[output] : ""); }

function inExposure(query) { return data.exposure ? " in an exposure of " + show(data.exposure[query]) : ""; }

function isOthers(cluster) { return data.clusters !== null && data.clusters.prototype[cluster - 1] === null; }

function hue(cluster) { return isOthers(cluster) ? paint.edge : HUES[(cluster - 1) % HUES.length]; }

function clusterName(cluster) { return isOthers(cluster) ? "in no cluster" : "cluster " + cluster; }

function clusterOf(query) { return data.clusters ? data.clusters.label[query] : 1; }

function choose(query) {
  if (query < 0 || query >= nQuery || query === choice.query) return;
  choice.query = query;
  tell();
}

function tell() { choice.listeners.forEach((listener) => listener()); }

function mark(cluster) {
  const node = make("span", null, "mark");
  node.style.background = hue(cluster);
  return node;
}

function jump(query, text) {
  const button = make("button", text, "link");
  button.type = "button";
  button.addEventListener("click", () => choose(query));
  return button;
}
