/** Precision and recall by kind. */

/** Expected, found and correct items of one kind. */
export interface Counts {
  wanted: number;
  found: number;
  /** Found, and expected. */
  right: number;
  /** Found and correct, though not listed as expected. */
  rightUnlisted: number;
  /** Ids of wrong items, for the report. */
  readonly wrong: string[];
}

/** Returns counts of zero. */
export function emptyCounts(): Counts {
  return { wanted: 0, found: 0, right: 0, rightUnlisted: 0, wrong: [] };
}

/**
 * Counts one item: its expected kind, its found kind (null: found items are counted elsewhere), and whether its fields
 * are correct.
 */
export function countResult(
  kinds: Map<string, Counts>,
  wanted: string,
  actual: string | null,
  isCorrect: boolean,
  id: string,
): void {
  const of = (kind: string) => kinds.get(kind) ?? kinds.set(kind, emptyCounts()).get(kind)!;
  of(wanted).wanted += 1;
  if (actual === null) return;
  if (actual !== 'unlinked') of(actual).found += 1;
  if (actual === wanted && isCorrect) of(wanted).right += 1;
  else of(wanted).wrong.push(actual === wanted ? id : `${id} (${actual})`);
}

/** Formats the counts as a table with one line per kind. */
export function countsTable(kinds: ReadonlyMap<string, Counts>): string {
  const rows = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = rows.map(([kind, { wanted, found, right, rightUnlisted: rightBeside, wrong }]) =>
    [
      `  ${kind.padEnd(16)}`,
      `wanted ${String(wanted).padStart(4)}`,
      `found ${String(found).padStart(4)}`,
      `precision ${ratio(right + rightBeside, found)}`,
      `recall ${ratio(right, wanted)}`,
      wrong.length > 0 ? `wrong: ${wrong.join('; ')}` : 'wrong: none',
    ].join('  '),
  );
  return lines.join('\n');
}

function ratio(part: number, whole: number): string {
  return whole === 0 ? '    -' : (part / whole).toFixed(3);
}
