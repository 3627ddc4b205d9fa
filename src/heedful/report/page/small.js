// The small model of the chosen query: terms that add up to its link, and what changes of single values do.
const CHANGES = "What one unit more does, or this level against the one that it is compared with; all other columns stay";

// places of the columns of a query in the lists of small models
function shownOf(query) {
  const first = data.small.first;
  return Array.from({ length: first[query + 1] - first[query] }, (_, i) => first[query] + i);
}

function columnName(at) { return data.drivers.names[data.small.column[at]]; }

function drawSmall() {
  const small = data.small;
  byId("small-tile").hidden = !small;
  if (!small) return;
  const q = choice.query, output = outputOf(q), size = (at) => Math.abs(small.term[output][at]), words = linkName(output);
  const shown = shownOf(q).sort((a, b) => size(b) - size(a));
  const start = small.start[output][q], link = small.link[output][q], same = data.words.link === data.words.prediction;
  say("small-note", "Near this query the " + words + " is a start plus a few terms. A term is a slope times the distance of the value from its reference: " +
    "the mean of a number, another level of a category.");
  const rows = shown.map((at) => [columnName(at), stack(small.value[at], "from " + small.references[small.reference[at]]),
    show(small.slope[output][at], 3), addition(small.term[output][at])]);
  fillTable("terms", [["column", true], ["value", "wrap", "Below it the reference"],
    ["slope", false, "Change per unit; for a level or a missing number the change from its reference"], [withFactor("term")]],
    [["start", "", "", show(start)], ...rows, ["sum: " + words, "", "", show(link)]], ["", ...rows.map(() => ""), "strong"]);
  const what = same ? "" : " The sum" + (data.words.outputs ? ", beside those of the other classes," : "") + " means " + withArticle(data.words.prediction) + " of " +
    level(data.prediction[output][q]) + inExposure(q) + ".";
  say("fidelity", (shown.length ? "This small model explains " + Math.round(100 * small.fidelity[q]) + " % of the variation of " + data.words.noun + "s nearby."
    : "Nearby no column changes the " + data.words.noun + ".") + what);
  drawMoves(shown, output);
}

// what is added, below it the factor that it is
function addition(value) { return data.words.factor ? stack(signed(value), "× " + show(Math.exp(value), 3)) : signed(value); }

function withFactor(word) { return data.words.factor ? word + ", " + data.words.factor : word; }

function stack(text, below) {
  const node = make("span", text);
  node.append(make("small", below));
  return node;
}

function drawMoves(shown, output) {
  const found = data.small.effects;
  byId("moves-box").hidden = !found || !shown.length;
  if (!found || !shown.length) return;
  const ends = (name) => shown.map((at) => (found[name] ? found[name][output][at] : null));
  const effect = ends("effect"), low = ends("low"), high = ends("high"), known = low.some((v) => v !== null);
  say("moves-note", (data.words.seen ? "Effects: change" : "Change") + " of the " + linkName(output) + " from one value to the other, with all other columns unchanged." +
    (known ? " Whiskers are 90 % intervals." : ""));
  const phrase = (at) => columnName(at) + ": " + found.from[at] + " → " + found.to[at];
  const told = shown.map((at, i) => label(phrase(at), 90) + "<br>" + signed(effect[i]) + (low[i] === null ? "" : " (" + show(low[i], 3) + " to " + show(high[i], 3) + ")"));
  const narrow = isNarrow("moves"), places = shown.map((_, i) => i), most = narrow ? 26 : 36, room = narrow ? 0.2 : 0.12;
  const names = shortNames(shown.map(columnName), most), half = Math.floor((most - 3) / 2);
  const all = [0, ...effect, ...low, ...high].filter((v) => v !== null), span = Math.max(...all) - Math.min(...all) || 1;
  const trace = { type: "scatter", mode: "markers+text", x: effect, y: places, hoverinfo: "text", hovertext: told, text: effect.map(signed),
    textposition: "top center", cliponaxis: false, textfont: { size: 11 }, marker: { size: 9, color: effect.map((v) => (v > 0 ? paint.up : paint.down)) },
    error_x: { type: "data", symmetric: false, array: high.map((v, i) => (v === null ? 0 : v - effect[i])),
      arrayminus: low.map((v, i) => (v === null ? 0 : effect[i] - v)), color: paint.ink, thickness: 1.4, width: known ? 4 : 0 } };
  Plotly.react("moves", [trace], frame({ height: 66 + 34 * shown.length, dragmode: false, margin: { l: 10, r: 10, t: 4, b: 40 },
    xaxis: zeroAxis("change of the " + label(data.words.link, 32), { range: [Math.min(...all) - room * span, Math.max(...all) + room * span] }),
    yaxis: rowAxis(names.map((name, i) => label(name, most) + "<br>" + label(found.from[shown[i]], half) + " → " + label(found.to[shown[i]], half)),
      { range: [shown.length - 0.4, -0.7], showgrid: true }) }), CONFIG);
}
