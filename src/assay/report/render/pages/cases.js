// Cases: a table that is filtered by words and sorted by a click on a heading.
var MOST_ROWS = 60;

function fill(place, table) {
  var sort = { by: -1, down: false }, all = false;
  var search = element("input", { type: "search", placeholder: "filter: words of any column", "aria-label": "filter the cases" });
  var count = element("span", { class: "soft" });
  var more = element("button", { type: "button" }, "show all");
  var body = element("tbody"), head = element("tr");
  table.columns.forEach(function (column, i) {
    var th = element("th", column.words ? { class: "left" } : {});
    var button = element("button", { type: "button" }, column.title);
    button.addEventListener("click", function () {
      sort = { by: i, down: sort.by === i && !sort.down };
      show();
    });
    th.appendChild(button);
    head.appendChild(th);
  });
  function key(row) {
    var cell = row[sort.by];
    return cell.v === null || cell.v === undefined ? cell.t : cell.v;
  }
  function compare(one, other) {
    var a = key(one), b = key(other);
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1;
  }
  function show() {
    var words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    var rows = table.rows.filter(function (row) {
      var text = row.map(function (cell) { return cell.t; }).join(" ").toLowerCase();
      return words.every(function (word) { return text.indexOf(word) >= 0; });
    });
    if (sort.by >= 0) {
      rows.sort(compare);
      if (sort.down) rows.reverse();
    }
    Array.from(head.children).forEach(function (th, i) {
      th.setAttribute("aria-sort", i !== sort.by ? "none" : sort.down ? "descending" : "ascending");
    });
    var shown = all ? rows : rows.slice(0, MOST_ROWS);
    body.textContent = "";
    shown.forEach(function (row) {
      var tr = element("tr");
      row.forEach(function (cell, i) {
        var td = element("td", table.columns[i].words ? { class: "left short" } : { class: "short" });
        if (cell.s) td.appendChild(element("span", { class: "state " + cell.s }, cell.t));
        else td.textContent = cell.t;
        tr.appendChild(td);
      });
      body.appendChild(tr);
    });
    count.textContent = rows.length + " of " + table.rows.length + (table.note ? ". " + table.note : "");
    more.hidden = shown.length === rows.length;
    more.textContent = "show all " + rows.length;
  }
  search.addEventListener("input", show);
  more.addEventListener("click", function () { all = true; show(); });
  var bar = element("p", { class: "filter" });
  bar.append(search, count);
  var grid = element("table"), top = element("thead"), wide = element("div", { class: "wide" });
  top.appendChild(head);
  grid.append(top, body);
  wide.appendChild(grid);
  place.textContent = "";
  place.append(bar, wide, more);
  show();
}

function fillCases(places) {
  if (!places.length) return;
  places.forEach(function (place) { place.dataset.drawn = "done"; });
  pack().then(function (packed) {
    places.forEach(function (place) { fill(place, packed.cases[place.dataset.cases]); });
  }).catch(function (error) {
    places.forEach(function (place) { place.textContent = "no table: " + error.message; });
  });
}
