/** CSV (RFC 4180). */

type Cell = string | number | boolean | null;

/** A text that a spreadsheet would run as a formula begins with an apostrophe. */
function csvCell(value: Cell): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A table as CSV; an unknown value is empty. */
export function csvText(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return `${[header, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n')}\r\n`;
}
