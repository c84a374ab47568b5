// texts.js - how numbers and values of keys are written.

function thousands(text) {
  return /^-?\d{4,15}$/.test(text) ? text.replace(/\B(?=(\d{3})+$)/g, ',') : text;
}

function numberText(value, digits) {
  if (Number.isNaN(value))
    return '';
  if (value === 0 || !Number.isFinite(value))
    return String(value);
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4)
    return value.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace('e+', 'e');
  return thousands(String(Number(value.toPrecision(digits))));
}

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹';
function powerText(value) {
  const exponent = Math.round(Math.log10(value));
  if (Math.abs(value / 10 ** exponent - 1) > 1e-9)
    return '';
  if (exponent >= -2 && exponent <= 4)
    return thousands(String(Number(value.toPrecision(3))));
  return '10' + String(exponent).replace(/./g, digit => digit === '-' ? '⁻' : SUPERSCRIPT[Number(digit)]);
}

// What people call a value of a key.
function shown(key, code) {
  const text = key.values[code];
  return key.numeric ? thousands(text) : key.shown[code];
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
