// rows.js - the list of rows: sorted, in pages.

const PAGE_ROWS = 50;

// Whether the rows chosen have several values of a key.
const differs = k => (state.chosen[k] || state.there[k]).size > 1;

// Columns of the list of rows: id, title, whether it is of numbers, text and order of a row.
function columnsOf(table) {
  const columns = [];
  table.keys.forEach((key, k) => {
    if (!differs(k))
      return;
    const order = key.numeric ? key.number : rankOf(key);
    columns.push({id: key.name, title: titleOf(table, k), numbers: key.numeric, text: row => shown(key, key.code[row]),
                  order: row => order[key.code[row]]});
  });
  table.facts.forEach(fact => {
    const order = fact.values ? rankOf({shown: fact.values}) : null;
    columns.push({id: fact.name, title: fact.name, numbers: !fact.values,
                  text: row => fact.values ? fact.values[fact.code[row]] : numberText(fact.number[row], 7),
                  order: row => fact.values ? order[fact.code[row]] : fact.number[row]});
  });
  table.measures.forEach(measure => {
    columns.push({id: measure.name, title: measure.name, hint: measure.title, numbers: true,
                  text: row => numberText(measure.mean[row], 6), order: row => measure.mean[row]});
    if (measure.error)
      columns.push({id: measure.name + '-error', title: 'std. error', numbers: true,
                    text: row => numberText(measure.error[row], 3), order: row => measure.error[row]});
    if (measure.counts)
      columns.push({id: measure.name + '-defined', title: 'defined', numbers: true,
                    text: row => thousands(String(measure.counts.values[measure.counts.code[row]])),
                    order: row => measure.counts.values[measure.counts.code[row]]});
  });
  if (table.repetitions && table.repetitions.values.length > 1)
    columns.push({id: 'repetitions', title: 'repetitions', numbers: true,
                  text: row => thousands(String(table.repetitions.values[table.repetitions.code[row]])),
                  order: row => table.repetitions.values[table.repetitions.code[row]]});
  return columns;
}

// Places of a key's values in the order of their names.
function rankOf(key) {
  const rank = [];
  key.shown.map((text, code) => ({text, code})).sort((a, b) => a.text.localeCompare(b.text, undefined, {numeric: true}))
    .forEach(({code}, place) => { rank[code] = place; });
  return rank;
}

// Undefined numbers come last, equal ones in the order of the table.
function sorted(columns) {
  const by = columns.find(each => each.id === state.sort);
  if (!by)
    return rows;
  const order = Float64Array.from(rows, by.order), places = Uint32Array.from(rows, (row, i) => i);
  const sign = state.down ? -1 : 1;
  places.sort((a, b) => {
    const x = order[a], y = order[b];
    if (Number.isNaN(x) || Number.isNaN(y))
      return Number.isNaN(x) - Number.isNaN(y) || a - b;
    return sign * (x - y) || a - b;
  });
  return places.map(place => rows[place]);
}

function heading(each) {
  const direction = state.sort !== each.id ? null : state.down ? 'descending' : 'ascending';
  return element('th', {scope: 'col', class: each.numbers ? 'n' : null, 'aria-sort': direction, title: each.hint || null},
    element('button', {type: 'button', onclick: () => {
      state.down = state.sort === each.id && !state.down;
      state.sort = each.id;
      state.page = 0;
      keepingFocus(showRows);
      tellLink();
    }}, each.title));
}

function showPager(pages) {
  const go = page => () => {
    state.page = page;
    keepingFocus(showRows);
    tellLink();
  };
  const button = (text, label, page, off) =>
    element('button', {type: 'button', 'aria-label': label, disabled: off, onclick: go(page)}, text);
  const first = state.page * PAGE_ROWS + 1, last = Math.min(rows.length, (state.page + 1) * PAGE_ROWS);
  view.pager.replaceChildren(
    button('«', 'first page', 0, state.page === 0), button('‹', 'previous page', state.page - 1, state.page === 0),
    element('span', {}, `rows ${thousands(String(first))} to ${thousands(String(last))} of ${thousands(String(rows.length))}`),
    button('›', 'next page', state.page + 1, state.page >= pages - 1),
    button('»', 'last page', pages - 1, state.page >= pages - 1));
}

function showRows() {
  const table = tableNow(), columns = columnsOf(table), order = sorted(columns);
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
  state.page = Math.min(state.page, pages - 1);
  view.head.replaceChildren(...columns.map(heading));
  view.body.replaceChildren(...Array.from(order.slice(state.page * PAGE_ROWS, (state.page + 1) * PAGE_ROWS), row =>
    element('tr', {}, ...columns.map(each => element('td', {class: each.numbers ? 'n' : null}, each.text(row))))));
  showPager(pages);
  const same = table.keys.map((key, k) => k).filter(k => !differs(k) && rows.length > 0)
    .filter(k => !['', table.experiment].includes(table.keys[k].values[table.keys[k].code[rows[0]]]))
    .map(k => table.keys[k].numeric ? valueText(table, k, rows[0]) : `${table.keys[k].title}: ${valueText(table, k, rows[0])}`);
  if (table.repetitions && table.repetitions.values.length === 1)
    same.push(`${thousands(String(table.repetitions.values[0]))} repetitions`);
  view.said.textContent = `${thousands(String(rows.length))} of ${thousands(String(table.rows))} rows are chosen.${view.notes}`;
  view.constants.textContent = `${table.experiment}, ${table.title} (${table.file})` +
    (same.length > 0 ? `. In all of these rows: ${same.join('; ')}` : '') +
    '. Means are rounded to 6 digits, standard errors to 3; the file has all digits.';
}
