"use strict";
(() => {
  const section = document.getElementById("rows");
  const data = JSON.parse(document.getElementById("rows-data").textContent);
  const part = (name) => section.querySelector(`[data-part="${name}"]`);
  const STEP = 200; // rows that are drawn at once
  let rule = null; // what is selected: a rule, a column to sort by, and whether the largest comes first
  let column = null;
  let descending = false;
  let drawn = STEP;

  const make = (tag, text, properties = {}) =>
    Object.assign(document.createElement(tag), { textContent: text }, properties);
  // What is not seen but changes what is seen is shown as an escape, as elsewhere on the page.
  const visible = (text) =>
    text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
  const shown = (one, row) => (one.cells[row] < 0 ? "missing" : visible(one.values[one.cells[row]]));
  const number = (n) => n.toLocaleString("en-US");

  function matchingRows() {
    const words = part("search").value.trim().toLowerCase();
    const hits = data.columns.map((one) => one.values.map((text) => `${text}\n${visible(text)}`.toLowerCase().includes(words)));
    const has = (row) =>
      data.columns.some((one, k) => (one.cells[row] < 0 ? "missing".includes(words) : hits[k][one.cells[row]]));
    const rows = [...data.groups.keys()].filter((row) => (!rule || rule.rows[row] === "1") && (!words || has(row)));
    if (column) {
      const { cells } = column;
      const sign = descending ? -1 : 1;
      rows.sort((a, b) => (cells[a] < 0) - (cells[b] < 0) || sign * (cells[a] - cells[b]));
    }
    return rows;
  }

  // The rows of a kind that are listed, of all that there are in the table.
  function describe(rows, keep, total, noun) {
    const listed = rows.filter((row) => keep(data.groups[row])).reduce((sum, row) => sum + data.counts[row], 0);
    return total ? `${number(listed)} of ${number(total)} ${noun}` : `no ${noun}`;
  }

  function status(rows) {
    const { outliers, normals } = data.nouns;
    const isOutlier = (group) => group > 0;
    const isNormal = (group) => group === 0;
    const found = part("search").value.trim() ? "Found" : "Listed";
    if (!rule) {
      const [nOutliers, nNormals] = data.totals;
      const ofNormals = describe(rows, isNormal, nNormals, `${normals} that match a rule`);
      return `${found}: ${describe(rows, isOutlier, nOutliers, outliers)}, ${ofNormals}.`;
    }
    const isOwn = (group) => group === rule.group;
    const isOther = (group) => isOutlier(group) && !isOwn(group);
    const [nOwn, nOthers, nNormals] = rule.counts;
    const kinds = [describe(rows, isOwn, nOwn, `${outliers} of the group`)];
    if (nOthers) kinds.push(describe(rows, isOther, nOthers, `other ${outliers}`));
    kinds.push(describe(rows, isNormal, nNormals, normals));
    const figures = kinds.join(", ");
    return `${found} of those that match the rule: ${figures}.`;
  }

  function draw() {
    const rows = matchingRows();
    part("status").textContent = status(rows);
    part("head").replaceChildren(
      ...data.columns.map((one) => {
        const arrow = one !== column ? "" : descending ? " \u2193" : " \u2191";
        const button = make("button", visible(one.name) + arrow, { type: "button" });
        button.addEventListener("click", () => {
          descending = one === column && !descending;
          column = one;
          draw();
          part("head").children[data.columns.indexOf(one)].firstChild.focus();
        });
        const head = make("th", "", { scope: "col", className: one.number ? "num" : "" });
        head.setAttribute("aria-sort", one !== column ? "none" : descending ? "descending" : "ascending");
        head.append(button);
        return head;
      }),
    );
    part("body").replaceChildren(
      ...rows.slice(0, drawn).map((row) => {
        const line = make("tr", "", { className: data.groups[row] ? "outlier" : "normal" });
        line.append(
          ...data.columns.map((one, k) => {
            const text = shown(one, row);
            const className = one.number ? "num" : text.length > 40 ? "long" : "";
            const cell = k ? make("td", "", { className }) : make("th", "", { scope: "row" });
            const tag = one.cells[row] < 0 ? "i" : rule && rule.columns.includes(k) ? "mark" : "span";
            cell.append(make(tag, text));
            return cell;
          }),
        );
        return line;
      }),
    );
    part("more").hidden = rows.length <= drawn;
    part("sql").disabled = !rule || !rule.sql;
    for (const button of part("rules").querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.value === (rule ? String(data.rules.indexOf(rule)) : "")));
    }
  }

  const redraw = () => {
    drawn = STEP;
    part("copied").textContent = "";
    draw();
  };

  function choice(one) {
    const text = one ? visible(one.text) : "All listed rows";
    const button = make("button", text, { type: "button", value: one ? String(data.rules.indexOf(one)) : "" });
    if (one) button.append(make("small", visible(one.figures)));
    button.addEventListener("click", () => {
      rule = one === rule ? null : one;
      redraw();
    });
    return button;
  }

  function toCsv(rows) {
    const quote = (text) => `"${text.replaceAll('"', '""')}"`;
    const write = (one, row) => {
      const code = one.cells[row];
      return code < 0 ? '""' : one.number ? one.values[code] : quote(one.escaped[code] ?? one.values[code]);
    };
    const lines = rows.map((row) => data.columns.map((one) => write(one, row)).join(","));
    return `${[data.columns.map((one) => quote(one.head)).join(","), ...lines].join("\n")}\n`;
  }

  async function copy(text, what) {
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.body.appendChild(make("textarea", text));
      area.select();
      done = document.execCommand("copy");
      area.remove();
    }
    part("copied").textContent = done ? `Copied ${what}.` : "The browser does not allow this page to copy.";
  }

  part("rules").append(choice(null));
  data.rules.forEach((one, k) => {
    const opens = !k || data.rules[k - 1].group !== one.group;
    if (opens) part("rules").append(make("h3", visible(one.title)));
    part("rules").append(choice(one));
  });
  if (data.moreRules) part("rules").append(make("span", `Rules that are not listed: ${number(data.moreRules)}.`));
  part("search").addEventListener("input", redraw);
  part("csv").addEventListener("click", () => {
    const rows = matchingRows();
    copy(toCsv(rows), `${number(rows.length)} ${rows.length === 1 ? "row" : "rows"} as CSV`);
  });
  part("sql").addEventListener("click", () => copy(rule.sql, "the rule as SQL"));
  part("more").addEventListener("click", () => {
    drawn += STEP;
    draw();
  });
  section.hidden = false;
  draw();
})();
