// The data, and text on the page. Text reaches the page by textContent only.
const data = JSON.parse(document.getElementById("data").textContent);
// the same hues as heedful.plot
const HUES = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#882255", "#7A7A00"];
const SERIES = ["#1A1A1A", "#8C510A", "#5E3C99", "#35978F", "#C2579B", "#6B8E23"];
const SIGNS = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star", "triangle-down"];
const UP = "#B2182B", DOWN = "#2166AC";

function byId(name) { return document.getElementById(name); }

function make(tag, text, kind) {
  const node = document.createElement(tag);
  if (text !== undefined && text !== null) node.textContent = text;
  if (kind) node.className = kind;
  return node;
}

function say(name, text) { byId(name).textContent = text; }

function show(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  const size = Math.abs(value);
  let text = size >= 1000 ? String(+value.toFixed(1)) : String(+value.toPrecision(digits));
  if (size >= 1e4) text = Math.round(value).toLocaleString("en-US");
  if (size !== 0 && (size < 1e-3 || size >= 1e9)) text = value.toExponential(2);
  return text.replace(/^-/, "\u2212");
}

function percent(value) { return !value ? (value === 0 ? "0 %" : "–") : (100 * value).toPrecision(value >= 0.1 ? 3 : 2) + " %"; }

function cut(text, most) {
  const letters = Array.from(text);
  return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : text;
}

// names with dots in their middle where they are long; those that this makes alike without most of what they begin and end with
function shortNames(names, most) {
  const middle = (text) => {
    const letters = Array.from(text), head = Math.floor((most - 1) / 2);
    return letters.length > most ? letters.slice(0, head).join("") + "…" + letters.slice(head + 1 - most).join("") : text;
  };
  const short = names.map(middle);
  return names.map((name, i) => {
    const group = names.filter((_, j) => short[j] === short[i]);
    if (new Set(group).size === 1) return short[i];
    const start = Math.max(alike(group) - Math.floor(most / 3), 0);
    const end = Math.max(alike(group.map((text) => Array.from(text.slice(start)).reverse().join(""))) - Math.floor(most / 3), 0);
    return middle((start ? "…" : "") + name.slice(start, name.length - end) + (end ? "…" : ""));
  });
}

// how many letters all texts begin with alike
function alike(texts) {
  let n = 0;
  while (n < texts[0].length && texts.every((text) => text[n] === texts[0][n])) n++;
  return n;
}

// plotly reads labels as a kind of HTML: with these three escaped they stay text
function label(text, most) {
  return cut(String(text), most).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

// head: [text, is a word (or "wrap": breaks into lines), what it means]; a cell is a text or a node
function fillTable(name, head, rows, kinds) {
  const top = make("tr"), kind = (word) => (word === true ? "text" : word || "");
  head.forEach(([text, word, meaning]) => {
    const cell = make("th", text, kind(word));
    cell.scope = "col";
    if (meaning) cell.title = meaning;
    top.append(cell);
  });
  const body = rows.map((row, i) => {
    const line = make("tr", null, kinds ? kinds[i] : "");
    row.forEach((value, j) => {
      const cell = make(j === 0 ? "th" : "td", null, kind(head[j][1]));
      if (j === 0) cell.scope = "row";
      cell.append(value);
      line.append(cell);
    });
    return line;
  });
  const thead = make("thead"), tbody = make("tbody");
  thead.append(top);
  tbody.append(...body);
  byId(name).replaceChildren(thead, tbody);
}

function fillHead() {
  say("title", data.title);
  say("verdict", data.verdict || "");
  byId("cards").replaceChildren(...data.cards.map((card) => {
    const node = make("div");
    node.append(make("dt", card.name), make("dd", card.value), make("dd", card.note, "remark"));
    return node;
  }));
}
