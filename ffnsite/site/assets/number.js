// Opens the provenance of a checked number beside it.
//
// A number is a plain link to its row in the ledger (a.ffn-number with data-* attributes).
// The first click, tap or Enter opens a card; the second, or the link in the card, follows it.
// Without this file every number stays a link.
(() => {
  "use strict";

  const KINDS = { fact: "现算", cite: "文献", plain: "免检" };
  const GAP = 8; // CSS pixels between card and number, and between card and window

  const card = element("div", "ffn-card");
  card.setAttribute("role", "dialog");
  card.setAttribute("aria-label", "这个数的来历");
  let shown = null; // the number whose card is open

  function element(name, className, text = "") {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = text;
    return made;
  }

  // --- the card -----------------------------------------------------------------------------

  function open(number) {
    close();
    shown = number;
    card.replaceChildren(...content(number));
    document.body.append(card);
    number.setAttribute("aria-expanded", "true");
    place(number);
    card.querySelector(".ffn-card-link").focus({ preventScroll: true });
  }

  function close(returnFocus = false) {
    if (!shown) return;
    shown.removeAttribute("aria-expanded");
    if (returnFocus) shown.focus({ preventScroll: true });
    card.remove();
    shown = null;
  }

  function content(number) {
    const { kind, value, means, source, cited, spread, message, offer } = number.dataset;
    const head = element("p", "ffn-card-head");
    head.append(element("strong", "", value || number.firstChild.textContent));
    head.append(element("span", `ffn-kind ffn-kind-${kind}`, KINDS[kind] ?? ""));
    const link = element("a", "ffn-card-link", "在数字台账里看");
    link.href = number.href;
    return [
      head,
      message && element("p", "ffn-card-message", message),
      offer && offers(offer.split("|")),
      means && element("p", "ffn-card-means", means),
      cited && element("p", "ffn-card-row", cited),
      spread && element("p", "ffn-card-row", `多个种子：${spread}`),
      source && element("p", "ffn-card-row ffn-card-source", source),
      link,
    ].filter(Boolean);
  }

  // For the author: what the sentence could say instead; a click copies it.
  function offers(texts) {
    const row = element("p", "ffn-card-offers", "可写 ");
    for (const text of texts) {
      const button = element("button", "", text);
      button.type = "button";
      button.title = "复制";
      button.addEventListener("click", () =>
        navigator.clipboard.writeText(text).then(() => (button.textContent = `${text} ✓`)));
      row.append(button);
    }
    return row;
  }

  // Below the first line of the number, or above it where there is more room; inside the window.
  function place(number) {
    const at = number.getClientRects()[0];
    const room = document.documentElement;
    const below = at.bottom + GAP + card.offsetHeight <= room.clientHeight;
    const top = below || at.top < room.clientHeight / 2
      ? at.bottom + GAP : at.top - GAP - card.offsetHeight;
    const left = Math.min(at.left, room.clientWidth - card.offsetWidth - GAP);
    card.style.top = `${top + window.scrollY}px`;
    card.style.left = `${Math.max(GAP, left) + window.scrollX}px`;
  }

  // --- what the reader does -----------------------------------------------------------------

  // In the capture phase, before Material's instant navigation sees the click.
  document.addEventListener("click", (event) => {
    const number = event.target.closest("a.ffn-number");
    const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (number && number !== shown && !elsewhere) {
      event.preventDefault();
      event.stopPropagation();
      open(number);
    } else if (!card.contains(event.target)) close();
  }, true);

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close(true);
    // The card stands at the end of the document; Tab goes on from the number instead.
    if (event.key === "Tab" && event.target === card.lastElementChild) close(true);
  });

  window.addEventListener("resize", () => shown && place(shown));

  // Material's instant navigation swaps the page under the card.
  const follow = () => window.document$?.subscribe(() => close());
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", follow);
  else follow();
})();
