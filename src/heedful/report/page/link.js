// A link to one query: #query=LABEL, or #row=NUMBER where labels are not unique.
function linkTo(query) {
  const name = data.labels[query];
  return data.labels.indexOf(name) === query ? "#query=" + encodeURIComponent(name) : "#row=" + (query + 1);
}

function linkedQuery() {
  const [, kind, value] = /^#(query|row)=(.*)$/s.exec(window.location.hash) || [];
  if (kind === "row") return Number.parseInt(value, 10) - 1;
  if (kind !== "query") return -1;
  try { return data.labels.indexOf(decodeURIComponent(value)); } catch { return -1; }
}

function showLink() {
  byId("permalink").href = linkTo(choice.query);
}

function keepLink() {
  showLink();
  window.history.replaceState(null, "", linkTo(choice.query));
}

function followLink() {
  const query = linkedQuery();
  if (!(query >= 0 && query < nQuery)) return;
  choose(query);
  byId("queries").scrollIntoView();
}
