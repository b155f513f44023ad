"use strict";
// What the page carries packed: gzip in base64, unpacked when a block is opened first.
function unpack(id) {
  if (typeof DecompressionStream === "undefined") {
    return Promise.reject(new Error("this browser cannot unpack it; report.md has the same figures"));
  }
  var text = atob(document.getElementById(id).textContent.trim());
  var bytes = Uint8Array.from(text, function (letter) { return letter.charCodeAt(0); });
  var stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
function once(make) {
  var made = null;
  return function () { return made || (made = make()); };
}
var pack = once(function () { return unpack("pack").then(JSON.parse); });
var library = once(function () {
  return unpack("library").then(function (text) {
    var script = document.createElement("script");
    script.textContent = text;
    document.head.appendChild(script);
  });
});
function element(name, attributes, text) {
  var made = document.createElement(name);
  Object.keys(attributes || {}).forEach(function (key) { made.setAttribute(key, attributes[key]); });
  if (text !== undefined) made.textContent = text;
  return made;
}
