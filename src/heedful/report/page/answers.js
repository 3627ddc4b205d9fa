// Answers about a treatment, and the words of a page about effects.
function withArticle(noun) { return (/^[aeiou]/.test(noun) ? "an " : "a ") + noun; }

function fillAnswers() {
  const effects = !data.words.seen;
  document.querySelectorAll(".noun").forEach((node) => { node.textContent = data.words.noun; });
  document.querySelectorAll(".seen").forEach((node) => { node.hidden = effects; });
  document.querySelectorAll(".unseen").forEach((node) => { node.hidden = !effects; });
  byId("answers-tile").hidden = !data.answers.length;
  byId("answers").replaceChildren(...data.answers.map(answerNode));
}

function answerNode(answer) {
  const node = make("section"), list = make("dl", null, "facts");
  node.append(make("h3", answer.title), ...answer.lines.map((line) => make("p", line)));
  list.append(...answer.facts.flatMap(([name, said]) => [make("dt", name), make("dd", said)]));
  node.append(list);
  if (answer.curve) node.append(chartNode("gain", "Gain of treating more rows, by effect and at random"));
  return node;
}

// the same picture as heedful.plot.gain_curve
function drawGain() {
  const found = data.answers.map((answer) => answer.curve).find(Boolean);
  if (!found) return;
  const line = (y, name, style) => ({ type: "scatter", mode: "lines", x: found.share, y: y, name: name, line: style,
    hoverinfo: "text", text: y.map((value, i) => percent(found.share[i]) + " treated " + name + ": " + show(value, 3)) });
  const band = (y, fill) => ({ type: "scatter", mode: "lines", x: found.share, y: y, line: { width: 0 }, hoverinfo: "skip",
    showlegend: false, fill: fill, fillcolor: paint.band });
  Plotly.react("gain", [band(found.low, "none"), band(found.high, "tonexty"), line(found.random, "at random", { color: paint.edge, width: 1, dash: "dash" }),
    line(found.gain, "by effect", { color: paint.ink, width: 2 })],
    frame({ height: 250, dragmode: false, showlegend: true, legend: ABOVE,
      xaxis: axis("share treated, " + (found.smaller ? "smallest" : "largest") + " effects first", { range: [0, 1], fixedrange: true, nticks: 6 }),
      yaxis: zeroAxis(found.smaller ? "fall of the mean outcome" : "gain in the mean outcome", { nticks: 5 }) }), CONFIG);
}
