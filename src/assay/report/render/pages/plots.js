// Plots: drawn when their block is opened first, in the page's colours, light or dark.
var KINDS = [["log-log", "log", "log"], ["log-lin", "log", "linear"], ["linear", "linear", "linear"]];

function colours() {
  var style = getComputedStyle(document.documentElement);
  function of(name) { return style.getPropertyValue(name).trim(); }
  return { ink: of("--ink"), soft: of("--soft"), line: of("--line"), page: of("--page") };
}

function themed(layout) {
  var use = colours();
  var made = JSON.parse(JSON.stringify(layout));
  delete made.title;
  delete made.switch;
  made.font = { color: use.ink, family: getComputedStyle(document.body).fontFamily, size: 12 };
  made.paper_bgcolor = made.plot_bgcolor = "rgba(0,0,0,0)";
  made.modebar = { bgcolor: "rgba(0,0,0,0)", color: use.soft, activecolor: use.ink };
  ["xaxis", "yaxis"].forEach(function (name) {
    made[name] = Object.assign(made[name] || {}, { gridcolor: use.line, zerolinecolor: use.line, linecolor: use.line });
  });
  return made;
}

function inked(data) {  // what is drawn in black on paper takes the colour of the text
  return JSON.parse(JSON.stringify(data).replace(/"#111827"/g, JSON.stringify(colours().ink)));
}

function settings() {  // few buttons, which hide no title of an axis, and none that sends data away
  var left = ["lasso2d", "select2d", "zoomIn2d", "zoomOut2d", "autoScale2d"];
  return { responsive: true, displaylogo: false, showSendToCloud: false, modeBarButtonsToRemove: left, displayModeBar: "hover" };
}

function switched(plot, across, up) {
  var change = { "xaxis.type": across, "yaxis.type": up, "xaxis.autorange": true, "yaxis.autorange": true };
  [["x", across], ["y", up]].forEach(function (pair) {
    var ticks = (plot.ticks || {})[pair[0]];
    if (ticks) {
      change[pair[0] + "axis.tickmode"] = "array";
      change[pair[0] + "axis.tickvals"] = ticks[pair[1]][0];
      change[pair[0] + "axis.ticktext"] = ticks[pair[1]][1];
    }
  });
  return change;
}

function zoomed(place, plot) {  // closer in, the library chooses the ticks; all of it again, they are the page's own
  place.on("plotly_relayout", function (change) {
    var wanted = {};
    ["x", "y"].forEach(function (letter) {
      var axis = letter + "axis";
      if (!(plot.ticks || {})[letter]) return;
      if (axis + ".range[0]" in change) wanted[axis + ".tickmode"] = "auto";
      else if (change[axis + ".autorange"] && place.layout[axis].tickmode === "auto") wanted[axis + ".tickmode"] = "array";
    });
    if (Object.keys(wanted).length) Plotly.relayout(place, wanted);
  });
}

function beside(place, traces) {  // a button that lays the published machines over the plot
  var button = element("button", { type: "button", "aria-pressed": "false" }, "published machines");
  button.addEventListener("click", function () {
    var on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    Plotly.restyle(place, { visible: on }, traces);
  });
  return button;
}

function drawPlot(figure, plot) {
  figure.textContent = "";
  var head = element("figcaption", {}, (plot.of ? plot.of + ": " : "") + plot.layout.title.text);
  figure.appendChild(head);
  var place = element("div", { class: "canvas" });
  figure.appendChild(place);
  if (plot.layout.switch) {
    var buttons = element("span", { class: "switch" });  // narrow pages do without
    KINDS.forEach(function (kind) {
      var button = element("button", { type: "button" }, kind[0]);
      button.addEventListener("click", function () { Plotly.relayout(place, switched(plot, kind[1], kind[2])); });
      buttons.appendChild(button);
    });
    head.appendChild(buttons);
  }
  var quoted = plot.data.map(function (trace, i) { return / \(quoted\)$/.test(trace.name) ? i : -1; })
    .filter(function (i) { return i >= 0; });
  if (quoted.length) head.appendChild(beside(place, quoted));
  try {
    Plotly.newPlot(place, inked(plot.data), themed(plot.layout), settings());
    zoomed(place, plot);
  } catch (error) {  // one picture less, and the others stand
    place.textContent = "this picture could not be drawn: " + error;
    figure.classList.add("undrawn");
  }
}

function drawPlots(places) {
  if (!places.length) return;
  places.forEach(function (place) { place.dataset.drawn = "begun"; place.textContent = "drawing …"; });
  Promise.all([pack(), library()]).then(function (both) {
    places.forEach(function (place) {
      drawPlot(place, both[0].plots[place.dataset.plot]);
      place.dataset.drawn = "done";
    });
  }).catch(function (error) {
    places.forEach(function (place) { place.textContent = "no plot: " + error.message; });
  });
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () {
  drawPlots(Array.from(document.querySelectorAll('.plot[data-drawn="done"]')));
});
