/** Parses a CSV text with a header line into rows by column name. Quoted fields may hold commas and doubled quotes. */
export function parseCsv(text: string): Record<string, string>[] {
  const [heading = [], ...rows] = text.split(/\r?\n/).filter(Boolean).map(parseLine);
  return rows.map((row) => Object.fromEntries(heading.map((name, at) => [name, row[at] ?? ''])));
}

function parseLine(line: string): string[] {
  return Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain = '']) =>
    quoted === undefined ? plain : quoted.replaceAll('""', '"'),
  );
}
