// link.js - what is shown as a link, and back.

const PREFIX = '#browse?';

function linkText() {
  const table = tableNow(), out = new URLSearchParams();
  out.set('table', table.id);
  if (table.measures.length > 1)
    out.set('measure', table.measures[state.measure].name);
  if (state.x)
    out.set('x', state.x);
  out.set('curves', state.curves < 0 ? '' : table.keys[state.curves].name);
  out.set('log', (state.logx ? 'x' : '') + (state.logy ? 'y' : ''));
  table.keys.forEach((key, k) => {
    if (state.chosen[k])
      for (const code of state.chosen[k])
        out.append('only-' + key.name, key.values[code]);
  });
  if (state.sort !== null)
    out.set('sort', (state.down ? '-' : '') + state.sort);
  if (state.page > 0)
    out.set('page', String(state.page + 1));
  return PREFIX + out;
}

function numberOf(list, is, otherwise) {
  const index = list.findIndex(is);
  return index < 0 ? otherwise : index;
}

// The state that a link describes; what it does not say, or what there is not, is as at the start.
async function readLink(hash) {
  const asked = new URLSearchParams(hash.slice(PREFIX.length));
  const number = numberOf(tables, table => table.id === asked.get('table'), 0), table = tables[number];
  await unpack(table);
  startAt(number);
  state.measure = numberOf(table.measures, measure => measure.name === asked.get('measure'), state.measure);
  if (axesOf(table).some(axis => axis.id === asked.get('x')))
    state.x = asked.get('x');
  if (asked.has('curves'))
    state.curves = numberOf(table.keys, key => key.name === asked.get('curves') && varies(key), -1);
  if (asked.has('table'))
    table.keys.forEach((key, k) => {
      const codes = asked.getAll('only-' + key.name).map(text => key.values.indexOf(text)).filter(code => code >= 0);
      state.chosen[k] = codes.length > 0 ? new Set(codes) : null;
    });
  settle();
  setLogs();
  if (asked.has('log')) {
    state.logx = asked.get('log').includes('x');
    state.logy = asked.get('log').includes('y');
  }
  const sort = asked.get('sort');
  if (sort) {
    state.down = sort.startsWith('-');
    state.sort = state.down ? sort.slice(1) : sort;
  }
  state.page = Math.max(0, (parseInt(asked.get('page'), 10) || 1) - 1);
}
