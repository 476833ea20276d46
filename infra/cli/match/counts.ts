/** Precision and recall by kind. */

/** What was wanted of a kind, what was found, and what of that is right. */
export interface Counts {
  wanted: number;
  found: number;
  /** Found and wanted. */
  right: number;
  /** Found and right, though nobody had listed it. */
  rightUnlisted: number;
  /** Ids, for people to look at. */
  readonly wrong: string[];
}

/** Nothing counted yet. */
export function emptyCounts(): Counts {
  return { wanted: 0, found: 0, right: 0, rightUnlisted: 0, wrong: [] };
}

/** Counts one: what it is, what it was taken for (null: counted elsewhere), and whether all of it is right. */
export function countResult(
  kinds: Map<string, Counts>,
  wanted: string,
  got: string | null,
  isCorrect: boolean,
  id: string,
): void {
  const of = (kind: string) => kinds.get(kind) ?? kinds.set(kind, emptyCounts()).get(kind)!;
  of(wanted).wanted += 1;
  if (got === null) return;
  if (got !== 'unlinked') of(got).found += 1;
  if (got === wanted && isCorrect) of(wanted).right += 1;
  else of(wanted).wrong.push(got === wanted ? id : `${id} (${got})`);
}

/** A table for people, one line a kind. */
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
