// Colours of charts, light or dark as the browser asks for; those of text are in the style sheet.
const DARK = window.matchMedia("(prefers-color-scheme: dark)");
const LIGHT_PAINT = { ink: "#1d2733", soft: "#55616e", paper: "#fff", grid: "#e6ebf0", edge: "#8793a0", pale: "#b4bec8",
  none: "#F7F7F7", up: UP, down: DOWN, upSoft: "#F4A582", downSoft: "#92C5DE", band: "rgba(135, 147, 160, .25)", series: SERIES };
const DARK_PAINT = { ink: "#e4e9ee", soft: "#a9b4bf", paper: "#1a2027", grid: "#2f3841", edge: "#8793a0", pale: "#5b6773",
  none: "#2a323b", up: "#f0706b", down: "#6fb1e8", upSoft: "#a5474a", downSoft: "#3f6f9c", band: "rgba(135, 147, 160, .3)",
  series: ["#e4e9ee", "#e0a458", "#b9a3e3", "#5cc7bc", "#ee9cc7", "#b5d66f"] };
let paint = DARK.matches ? DARK_PAINT : LIGHT_PAINT;

function series(i) { return paint.series[i % paint.series.length]; }

// values of a column from low to high, as in heedful.plot
const LOW_TO_HIGH = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [220, 227, 25]];

function onScale(share) {
  if (share === null) return paint.edge;
  const at = share * (LOW_TO_HIGH.length - 1), low = Math.min(Math.floor(at), LOW_TO_HIGH.length - 2);
  return "rgb(" + LOW_TO_HIGH[low].map((v, i) => Math.round(v + (at - low) * (LOW_TO_HIGH[low + 1][i] - v))).join() + ")";
}

function followScheme(redraw) {
  DARK.addEventListener("change", () => { paint = DARK.matches ? DARK_PAINT : LIGHT_PAINT; redraw(); });
}
