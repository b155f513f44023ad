// Blocks: what is in one is drawn when it is opened, and a link to what is inside opens it.
function visible(place) {  // not within a block that is closed
  for (var at = place.parentElement; at; at = at.parentElement) {
    if (at.tagName === "DETAILS" && !at.open) return false;
  }
  return true;
}
function drawWithin(block) {
  function fresh(selector) {
    return Array.from(block.querySelectorAll(selector)).filter(function (place) {
      return !place.dataset.drawn && visible(place);
    });
  }
  fillCases(fresh("[data-cases]"));
  drawPlots(fresh("[data-plot]"));
}
document.addEventListener("toggle", function (event) {
  if (!event.target.open) return;
  drawWithin(event.target);
  if (event.target.id === "circumstances") {
    pack().then(function (packed) {
      event.target.querySelector("pre").textContent = JSON.stringify(packed.document.provenance, null, 1);
    });
  }
}, true);

function openTo(hash) {
  var target = hash.length > 1 ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
  if (!target) return;
  for (var at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", function () { openTo(location.hash); });
document.addEventListener("click", function (event) {  // also a second click on the same link
  var link = event.target.closest('a[href^="#"]');
  if (link && link.getAttribute("href") === location.hash) openTo(location.hash);
});
openTo(location.hash);

document.getElementById("figures").addEventListener("click", function (event) {
  var link = event.currentTarget;
  if (link.dataset.ready) return;
  event.preventDefault();
  pack().then(function (packed) {
    link.href = URL.createObjectURL(new Blob([JSON.stringify(packed.document)], { type: "application/json" }));
    link.dataset.ready = "yes";
    link.click();
  });
});

// Which part is in view: marked in the navigation.
var marks = {};
document.querySelectorAll("#nav a").forEach(function (link) { marks[link.getAttribute("href").slice(1)] = link; });
if (typeof IntersectionObserver !== "undefined") {
  var seen = new IntersectionObserver(function (entries) {
    entries.forEach(function (entry) {
      if (entry.isIntersecting) {
        Object.keys(marks).forEach(function (id) { marks[id].classList.toggle("here", id === entry.target.id); });
      }
    });
  }, { rootMargin: "-10% 0px -80% 0px" });
  Object.keys(marks).forEach(function (id) { seen.observe(document.getElementById(id)); });
}
