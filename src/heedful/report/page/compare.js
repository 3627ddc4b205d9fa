// The chosen query and the rows it attended to, side by side.
function compareRows() {
  const found = data.compared, q = choice.query;
  byId("beside-box").hidden = !found;
  if (!found) return;
  const names = data.drivers.names, train = data.attended.train, rows = [], n = found.n_rows;
  // the same rows as in the table above, by rank
  const labels = Array.from({ length: n }, (_, rank) => train.labels[data.attended.row[q * data.attended.k + rank]]);
  for (let rank = 0; rank < found.k; rank++) {
    const at = q * found.k + rank, j = found.column[at];
    const cells = Array.from({ length: n }, (_, r) => found.cells[j][found.row[q * n + r]]);
    rows.push([names[j], strong(found.value[at]), ...cells, found.attended[at], found.all[j], percent(Math.max(found.alike[at], 0))]);
  }
  fillTable("beside", [["column", true], ["query"], ...labels.map((name) => ["row " + cut(name, 14)]),
    ["weighted", false, "Weighted mean of the training rows; for text the most frequent value"],
    ["all rows", false, "Mean over all training rows; for text the most frequent value"],
    ["similarity", false, "Reduction of the distance to the query, compared with all rows; 100 % if the weighted rows have its value"]], rows);
}

function strong(text) { return make("strong", text); }
