// Counts the parameters of a model that the reader describes, in whole numbers of any size.
//
// form.ffn-calculator holds the shape; each <output name="…"> in it shows one count. The formulas
// are those of ffnsite/models/sizes.py for a model without biases, with RMSNorm and with positions
// that cost nothing; a browser test holds the two together. Listeners sit on the document, so they
// outlive Material's instant navigation; document$ speaks whenever it has brought a page.
(() => {
  "use strict";

  const NAMES = {
    d: "宽 d", d_ff: "FFN 宽", heads: "query 头数", kv_heads: "KV 头数",
    head_width: "每头宽", layers: "层数", vocabulary: "词表",
  };

  // --- what is asked -----------------------------------------------------------------------------

  function whole(form, name) {
    const text = form.elements[name].value.replace(/[\s,，_]/g, "");
    if (!/^\d{1,30}$/.test(text) || BigInt(text) === 0n) throw new Error(`${NAMES[name]}要填正整数`);
    return BigInt(text);
  }

  function shapeOf(form) {
    const shape = {};
    for (const name of ["d", "d_ff", "heads", "kv_heads", "layers", "vocabulary"])
      shape[name] = whole(form, name);
    if (shape.heads % shape.kv_heads) throw new Error("query 头数要是 KV 头数的整数倍");
    shape.head_width = form.elements.head_width.value.trim()
      ? whole(form, "head_width")
      : shape.d / shape.heads;
    if (!form.elements.head_width.value.trim() && shape.d % shape.heads)
      throw new Error("宽 d 除不尽 query 头数，请填每头宽");
    shape.gated = form.elements.gated.checked;
    shape.tied = form.elements.tied.checked;
    return shape;
  }

  // --- what it comes to --------------------------------------------------------------------------

  function count(shape) {
    const attention = 2n * shape.d * shape.head_width * (shape.heads + shape.kv_heads);
    const ffn = (shape.gated ? 3n : 2n) * shape.d * shape.d_ff;
    const block = attention + ffn;
    const norms = (2n * shape.layers + 1n) * shape.d;
    const tables = (shape.tied ? 1n : 2n) * shape.vocabulary * shape.d;
    const model = shape.layers * block + norms + tables;
    return {
      attention: grouped(attention),
      ffn: grouped(ffn),
      block: grouped(block),
      block_share: percent(ffn, block),
      model: grouped(model),
      model_share: percent(shape.layers * ffn, model),
    };
  }

  const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

  // To a tenth of a percent; a half goes up.
  function percent(part, of) {
    const tenths = (2000n * part + of) / (2n * of);
    return `${tenths / 10n}.${tenths % 10n}%`;
  }

  // --- the page ----------------------------------------------------------------------------------

  function show(form) {
    let counts = {};
    let fault = "";
    try {
      counts = count(shapeOf(form));
    } catch (error) {
      fault = error.message;
    }
    for (const output of form.querySelectorAll("output"))
      output.value = output.name === "fault" ? fault : (counts[output.name] ?? "—");
  }

  function fill(form, shape) {
    for (const [name, value] of new URLSearchParams(shape)) {
      const field = form.elements[name];
      if (field.type === "checkbox") field.checked = value === "yes";
      else field.value = value;
    }
  }

  document.addEventListener("input", (event) => {
    const form = event.target.closest("form.ffn-calculator");
    if (form) show(form);
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("form.ffn-calculator button[data-shape]");
    if (!button) return;
    fill(button.form, button.dataset.shape);
    show(button.form);
  });

  document.addEventListener("submit", (event) => {
    if (event.target.matches("form.ffn-calculator")) event.preventDefault();
  });

  const showAll = () => document.querySelectorAll("form.ffn-calculator").forEach(show);
  if (window.document$) window.document$.subscribe(showAll);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", showAll);
  else showAll();
})();
