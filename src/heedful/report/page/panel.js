// What the page says of the chosen query.
function summarize() {
  const q = choice.query, output = outputOf(q);
  const own = data.prediction[output][q], base = data.baseline[output][q];
  const what = predictionName(output);
  say("query-head", "Query " + data.labels[q]);
  let text = what[0].toUpperCase() + what.slice(1) + " " + level(own) + inExposure(q) + ", baseline " + level(base) + ".";
  text += data.attended.k ? " Local models have a share of " + percent(data.mixing[q]) + "; effective sample size " + show(data.n_eff[q]) + " rows."
    : " The global model predicts alone.";
  say("summary", text);
}

function outcomeTable() {
  const q = choice.query, words = data.words, seen = data.observed;
  const happened = seen ? seen.columns.map((column) => show(column[q])) : [];
  if (words.outputs) {
    const rows = words.outputs.map((name, k) => [name, level(data.prediction[k][q]), level(data.baseline[k][q]),
      ...(seen ? [happened[0] === name ? "happened" : ""] : [])]);
    const kinds = words.outputs.map((_, k) => (k === data.likely[q] ? "strong" : "") + (k === outputOf(q) ? " here" : ""));
    fillTable("outcome", [["class", true], ["attention"], ["baseline"], ...(seen ? [[""]] : [])], rows, kinds);
    return;
  }
  const rows = [["attention", level(data.prediction[0][q]), data.loss ? show(data.loss[q]) : ""],
    ["baseline", level(data.baseline[0][q]), data.loss ? show(data.baseline_loss[q]) : ""]];
  if (seen) rows.push(["response", happened.map((v, j) => seen.names.length > 1 ? seen.names[j] + " " + v : v).join(", "), ""]);
  if (data.interval) rows.splice(1, 0, ["interval", show(data.interval[0][q]) + " to " + show(data.interval[1][q]), ""]);
  const head = [["", true], [words.prediction], ["loss"]], wide = data.loss ? 3 : 2;
  fillTable("outcome", head.slice(0, wide), rows.map((row) => row.slice(0, wide)), ["strong"]);
}

function drawSurvival() {
  const found = data.survival;
  byId("survival").hidden = !found;
  if (!found) return;
  const n = found.times.length, y = found.value.slice(choice.query * n, (choice.query + 1) * n);
  const trace = { type: "scatter", mode: "lines", x: [0, ...found.times], y: [1, ...y], line: { shape: "hv", color: paint.ink, width: 2 },
    hoverinfo: "text", text: ["", ...found.times.map((time, i) => "time " + show(time) + "<br>survival: " + level(y[i]))] };
  Plotly.react("survival", [trace], frame({ height: 230, dragmode: false, xaxis: axis("time", { fixedrange: true, nticks: 6 }),
    yaxis: axis("survival probability", { range: [0, 1.03], fixedrange: true, nticks: 5 }) }), CONFIG);
}

function clusterLine() {
  if (!data.clusters) { say("cluster", ""); return; }
  const q = choice.query, cluster = clusterOf(q), at = cluster - 1, found = data.clusters;
  if (isOthers(cluster)) {
    byId("cluster").replaceChildren(mark(cluster), "In no cluster: few models are similar. ");
    return;
  }
  const own = found.prototype[at] === q, n = found.prototype.filter((row) => row !== null).length;
  const parts = [mark(cluster), "Cluster " + cluster + " of " + n + ", " + found.size[at] +
    (found.size[at] === 1 ? " query. " : " queries. "), own ? "This query is its prototype." : "Its prototype is query "];
  byId("cluster").replaceChildren(...parts);
  if (own) return;
  const button = jump(found.prototype[at], data.labels[found.prototype[at]]);
  // the button goes with the query that it belonged to; the focus stays in the panel
  button.addEventListener("click", () => byId("query-head").focus({ preventScroll: true }));
  byId("cluster").append(button, ".");
}

function drivers() {
  const q = choice.query, output = outputOf(q), all = data.drivers, k = all.k, found = [];
  const of = (name, at) => (all[name] ? all[name][output][at] : null);
  for (let rank = 0; rank < k; rank++) {
    const at = q * k + rank, value = all.value[output][at], name = all.names[all.feature[output][at]];
    found.push({ name: name, phrase: value === "missing" ? name + " missing" : name + " = " + value, value: value,
      part: all.part[output][at], attention: of("attention", at), model: of("model", at), effect: of("effect", at),
      importance: of("importance", at) });
  }
  return found;
}

function drawDrivers() {
  const q = choice.query, output = outputOf(q), all = data.drivers, found = drivers();
  const scale = linkName(output);
  // what is nothing but rounding beside the largest is nothing
  const least = 1e-9 * Math.max(...found.map((row) => Math.abs(row.part)));
  const active = found.filter((row) => Math.abs(row.part) > least);
  say("drivers-note", "From " + show(all.start[output][q]) + ", the mean over the training rows, to " + show(all.link[output][q]) +
    (scale === data.words.noun ? "" : " (" + scale + ")") + ": the contribution of each column" + (all.model ? ", through attention (the weights of the training rows) and " +
    "through the query's local model." : ".") + (data.words.multiplies ? " As factors: " + show(Math.exp(all.start[output][q])) +
    " per unit of exposure times the factor of each column is " + show(Math.exp(all.link[output][q])) + "." : "") + (active.length ? "" : " No column contributes here.") +
    (all.rough.includes(q) ? " These values are approximate, as this query is unlike the rows that were checked." : ""));
  const bars = active.slice(0, 10), left = found.slice(bars.length).reduce((sum, row) => sum + row.part, all.rest[output][q]);
  const rest = Math.abs(left) > least;
  const shown = bars.map((row) => [row.phrase, row.part]);
  if (all.names.length > bars.length && rest) shown.push(["all others", left]);
  byId("bars").hidden = shown.length === 0;
  if (shown.length) drawBars(shown);
  const effect = data.words.seen ? "effect" : "change per unit";
  const extra = [...(all.model ? [["by attention, by local model", null, (row) => stack(signed(row.attention), signed(row.model))]] : []),
    ...(all.effect ? [[effect, CHANGES, (row) => (row.effect === null ? "" : show(row.effect, 3))]] : []),
    ...(all.importance ? [["importance", null, (row) => show(row.importance, 3)]] : [])];
  fillTable("contributions", [["column", true], ["value", "wrap"], [withFactor("adds")], ...extra.map(([title, meaning]) => [title, false, meaning])],
    active.map((row) => [row.name, row.value, addition(row.part), ...extra.map(([, , write]) => write(row))]));
}

function drawBars(shown) {
  const parts = shown.map((row) => row[1]), low = Math.min(0, ...parts), high = Math.max(0, ...parts);
  // room for the numbers beside the bars
  const room = (isNarrow("bars") ? 0.6 : 0.32) * (high - low);
  const ends = [low < 0 ? low - room : -0.04 * high, high > 0 ? high + room : -0.04 * low];
  const title = "adds to the " + label(data.words.link, 32);
  barChart("bars", shown, { title: title, ends: ends, write: signed, colour: (v) => (v > 0 ? paint.up : paint.down) });
}

function rowsTable() {
  const q = choice.query, found = data.attended, k = found.k, train = found.train;
  byId("rows").hidden = !k;
  if (!k) { say("rows-note", "No rows: the global model predicts alone."); return; }
  const part = found.weight.slice(q * k, (q + 1) * k), most = Math.max(...part);
  const rows = part.map((weight, rank) => {
    const row = found.row[q * k + rank], cell = make("div", null, "weight"), rail = make("div"), bar = make("i");
    bar.style.width = (100 * weight / (most || 1)) + "%";
    rail.append(bar);
    cell.append(rail, make("span", percent(weight)));
    return [train.labels[row], cell, ...train.columns.map((column) => show(column[row]))];
  });
  const together = percent(part.reduce((sum, weight) => sum + weight, 0)) + " of the weight.";
  say("rows-note", (found.equal[q] ? "All training rows have the same weight: these are the first " + k + " of them" :
    "The " + k + " training rows with the largest weights") + "; together " + together);
  fillTable("rows", [["training row", true], ["weight"], ...train.names.map((name) => [name])], rows);
}

function clustersTable() {
  const found = data.clusters, errors = found.error ? [["error"], ["baseline's"]] : [];
  const rows = found.size.map((size, i) => {
    const name = make("span");
    name.append(mark(i + 1), found.name[i]);
    return [name, isOthers(i + 1) ? "" : jump(found.prototype[i], data.labels[found.prototype[i]]), String(size), show(found.radius[i]),
      ...(found.error ? [show(found.error[i]), show(found.baseline_error[i])] : [])];
  });
  fillTable("clusters", [["cluster"], ["prototype", true], ["queries"], ["radius"], ...errors], rows);
  byId("cluster-words").replaceChildren(...found.name.map((name, i) => {
    const words = make("p", null, "note"), models = [found.levels[i], found.coefficients[i]].filter(Boolean).join("; ");
    words.append(mark(i + 1), name + ". Values: " + (found.rows[i] || "as in all queries") + ". Models: " + (models || "as in all queries") + ".");
    return words;
  }));
  say("radius-note", "Radius: the largest distance of a model to its prototype's, as " + found.unit +
    ". Level: mean of what the models of a cluster give for all queries.");
  markCluster();
}

function markCluster() {
  const here = clusterOf(choice.query) - 1;
  byId("clusters").querySelectorAll("tbody tr").forEach((row, i) => row.classList.toggle("here", i === here));
}

function drawPanel() {
  summarize();
  outcomeTable();
  drawSurvival();
  clusterLine();
  drawSmall();
  drawIf();
  drawDrivers();
  rowsTable();
  compareRows();
  showLink();
}
