// tables.js - the page's tables: JSON with packed columns (browse.h), unpacked when they are first shown. The files of
// this folder are joined into one script, inside a function (scripts/page-assets.sh); everything that is said of tables,
// names included, is in the JSON.

const place = document.getElementById('browse'), source = document.getElementById('tables');
const tables = source ? JSON.parse(source.textContent).tables : [];

// A column is a plane for each byte of its numbers; returns the numbers.
function column(bytes, at, rows, type) {
  const numbers = new type(rows), out = new Uint8Array(numbers.buffer), width = type.BYTES_PER_ELEMENT;
  for (let b = 0; b < width; b++)
    for (let i = 0, from = at + b * rows; i < rows; i++)
      out[i * width + b] = bytes[from + i];
  return numbers;
}

const codesOf = width => width === 1 ? Uint8Array : width === 2 ? Uint16Array : Uint32Array;

async function unpack(table) {
  if (table.ready)
    return;
  const packed = Uint8Array.from(atob(table.packed), byte => byte.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let at = 0;
  const next = type => {
    const numbers = column(bytes, at, table.rows, type);
    at += table.rows * type.BYTES_PER_ELEMENT;
    return numbers;
  };
  for (const key of table.keys) {
    key.code = next(codesOf(key.bytes));
    if (key.numeric)
      key.number = key.values.map(text => text === '' ? NaN : Number(text));
  }
  if (table.repetitions)
    table.repetitions.code = next(codesOf(table.repetitions.bytes));
  for (const measure of table.measures) {
    measure.mean = next(Float32Array);
    measure.error = measure.errors ? next(Float32Array) : null;
    if (measure.counts)
      measure.counts.code = next(codesOf(measure.counts.bytes));
  }
  for (const fact of table.facts)
    if (fact.values)
      fact.code = next(codesOf(fact.bytes));
    else
      fact.number = next(Float32Array);
  delete table.packed;
  table.ready = true;
}
