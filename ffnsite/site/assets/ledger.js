// Filters the rows of the ledger of numbers. Without this file every row is shown.
//
// A row stays when, for every control of form.ffn-filter that is filled in, its data-<name> has
// the chosen word (words are separated by spaces); the control named "text" looks into the whole
// row. The listeners sit on the document, so they outlive Material's instant navigation.
(() => {
  "use strict";

  document.addEventListener("input", (event) => {
    const form = event.target.closest("form.ffn-filter");
    if (!form) return;
    const wanted = [...new FormData(form)].filter(([, value]) => value);
    for (const row of document.querySelectorAll("table.ffn-ledger tbody tr")) {
      row.hidden = !wanted.every(([name, value]) => stays(row, name, value));
    }
  });

  function stays(row, name, value) {
    if (name === "text") return row.textContent.toLowerCase().includes(value.toLowerCase());
    return (row.dataset[name] ?? "").split(" ").includes(value);
  }

  document.addEventListener("submit", (event) => {
    if (event.target.matches("form.ffn-filter")) event.preventDefault();
  });
})();
