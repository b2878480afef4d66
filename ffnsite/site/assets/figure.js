// Draws the figures of an article page: each exactly once, when it nears the view.
//
// A figure brings its charts as inert JSON (template.ffn-data: {charts, dark}; a chart is what
// plotly takes, {data, layout}, or a diagram, {svg}) and the address of the plotly library
// (data-plotly, relative to the page). Nothing here knows what is drawn. The JSON is in a template
// because Material's instant navigation runs every inline script of a page, whatever its type.
// Works alone, with Material's instant navigation (document$), from file:// and under a
// Content-Security-Policy of script-src 'self'.
(() => {
  "use strict";

  const CONFIG = { displayModeBar: false, scrollZoom: false, doubleClick: false, showTips: false };
  const NEAR = "400px"; // distance from the view at which a figure is drawn
  const HEX = /#[0-9a-f]{6}\b/g;
  const PAPER = 640; // widest chart in CSS pixels that fits a printed A4 or Letter page

  const figures = new Map(); // <figure> -> what is known of it, for the figures of this page
  let library = null; // promise of window.Plotly, asked for once
  let printing = false;
  const opened = []; // the data tables that are open only for the printer

  // --- the life of a page -------------------------------------------------------------------

  function enterPage() {
    for (const [figure, state] of figures) if (!figure.isConnected) leave(figure, state);
    document.querySelectorAll("figure.ffn-figure").forEach(welcome);
  }

  function welcome(figure) {
    const chart = figure.querySelector("div.ffn-chart");
    const island = figure.querySelector("template.ffn-data");
    if (!chart || !island || figures.has(figure)) return;
    const { charts, dark } = JSON.parse(island.content.textContent);
    const buttons = [...figure.querySelectorAll(".ffn-switch button")];
    const address = new URL(figure.dataset.plotly, location.href).href;
    const state = { chart, charts, dark, buttons, address, chosen: 0, drawn: false, plot: false };
    figures.set(figure, state);
    buttons.forEach((button, k) => button.addEventListener("click", () => choose(figure, k)));
    if (charts.every(({ svg }) => svg)) draw(state);
    else nearness.observe(chart);
  }

  function leave(figure, state) {
    nearness.unobserve(state.chart);
    sizes.unobserve(state.chart);
    if (state.plot) window.Plotly.purge(state.chart);
    figures.delete(figure);
  }

  // --- drawing ------------------------------------------------------------------------------

  // A hidden chart (another tab, closed details) is not near: it is drawn when it is shown.
  const nearness = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach(({ target }) => {
      nearness.unobserve(target);
      firstDraw(target.closest("figure"));
    }),
    { rootMargin: NEAR },
  );

  const sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const figure = target.closest("figure");
      const state = figure && figures.get(figure);
      if (state && target.offsetWidth && target.offsetWidth !== state.width) draw(state);
    }
  });

  async function firstDraw(figure) {
    const state = figures.get(figure);
    try {
      await load(state.address);
      if (!figures.has(figure)) return; // the reader has left the page meanwhile
      draw(state);
      sizes.observe(state.chart);
    } catch (error) {
      explain(figure, state, error);
    }
  }

  function draw(state) {
    const { chart } = state;
    const { svg, data, layout } = inScheme(state);
    state.width = chart.offsetWidth;
    state.drawn = true;
    if (svg) {
      if (state.plot) window.Plotly.purge(chart);
      chart.innerHTML = svg;
    } else if (state.plot) window.Plotly.react(chart, data, layout, CONFIG);
    else {
      chart.replaceChildren();
      window.Plotly.newPlot(chart, data, layout, CONFIG);
    }
    state.plot = !svg;
  }

  function load(address) {
    library ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = () => resolve(window.Plotly);
      script.onerror = () => {
        script.remove();
        library = null; // the next figure tries again
        reject(new Error(`没有取到绘图程序 ${address}`));
      };
      document.head.append(script);
    });
    return library;
  }

  function explain(figure, state, error) {
    const message = document.createElement("p");
    message.className = "ffn-failure";
    message.setAttribute("role", "alert");
    message.textContent = `这张图没有画出来：${error.message}。数据表里是同样的数。`;
    state.chart.before(message);
    state.chart.hidden = true;
    figure.querySelectorAll("details.ffn-table").forEach((table) => (table.open = true));
  }

  // --- what a chart looks like now ----------------------------------------------------------

  function inScheme({ chart, charts, chosen, dark }) {
    const slate = document.body.dataset.mdColorScheme === "slate" && !printing;
    const { svg, data, layout } = recolour(charts[chosen], slate && dark ? dark : {});
    if (svg) return { svg };
    const style = getComputedStyle(chart);
    const width = printing ? Math.min(chart.offsetWidth, PAPER) : chart.offsetWidth;
    const font = { family: style.fontFamily, color: printing ? "#000" : style.color, ...layout.font };
    const clear = { paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)" };
    const box = { width, height: chart.offsetHeight, autosize: false, dragmode: false };
    return { data, layout: { ...clear, ...layout, font, ...box } };
  }

  // A copy in which every colour that is a key of `table` is replaced. Plotly writes into what
  // it is given, so the original has to stay untouched.
  function recolour(value, table) {
    if (typeof value === "string") return value.replace(HEX, (colour) => table[colour] ?? colour);
    if (Array.isArray(value)) return value.map((item) => recolour(item, table));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, recolour(v, table)]));
  }

  function choose(figure, k) {
    const state = figures.get(figure);
    state.chosen = k;
    state.buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === k)));
    if (state.drawn) draw(state);
  }

  function redrawAll() {
    for (const state of figures.values()) {
      if (state.drawn && state.chart.offsetWidth) draw(state);
      else state.width = 0; // drawn anew when it is shown
    }
  }

  // Paper is white and narrow. What has not come near the view is drawn for the printer too; if
  // the library is not here there is no time to wait for it, and the data table goes to print.
  function print(on) {
    printing = on;
    redrawAll();
    if (!on) return opened.splice(0).forEach((table) => (table.open = false));
    for (const [figure, state] of figures) {
      if (state.drawn || !state.chart.offsetWidth) continue;
      if (window.Plotly) draw(state);
      else opened.push(...figure.querySelectorAll("details.ffn-table:not([open])"));
    }
    opened.forEach((table) => (table.open = true));
  }

  // --- wiring -------------------------------------------------------------------------------

  function begin() {
    new MutationObserver(redrawAll).observe(document.body, {
      attributeFilter: ["data-md-color-scheme"],
    });
    window.addEventListener("beforeprint", () => print(true));
    window.addEventListener("afterprint", () => print(false));
    enterPage();
    // From file:// Material never tells of a page; a page that is entered twice is welcomed once.
    window.document$?.subscribe(enterPage);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
