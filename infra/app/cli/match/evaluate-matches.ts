/** Compares the matcher's labels and links with the expected ones of a titles file. */
import { matchTitles, type TitleLabel, type TitleLink } from '#processors/events/match-titles';
import { type Counts, countResult, countsTable, emptyCounts } from './counts.ts';
import type { ExpectedLabel, TitlesFile } from './titles-file.ts';

/**
 * Expected kind of a title without a threshold, by its `notPriceBinary` reason. Other reasons only exclude
 * `price_binary`.
 */
const KIND_OF_REASON: Readonly<Record<string, string>> = { range: 'price_range', direction_from_open: 'up_down' };
const FIELDS = ['kind', 'underlying', 'threshold', 'op', 'semantics', 'resolutionDate'] as const;

/** Reports labels per kind, links per kind of the titles that they join, and the ids of all wrong ones. */
export function evaluateMatches(file: TitlesFile): string {
  const { labels, links } = matchTitles(file.titles);
  return [
    `${file.titles.length} titles, ${links.length} links, ${links.filter(({ used }) => used).length} in use, ${microsOf(file).toFixed(0)} µs of processor time per title`,
    '',
    'labels (correct: all fields of a threshold, the kind of anything else)',
    evaluateLabels(file, labels),
    '',
    'links in use',
    evaluateLinks(file, labels, links),
  ].join('\n');
}

/** Titles read for the measurement: enough for the code to be compiled. */
const TITLES_MEASURED = 20_000;

/** Microseconds of processor time per title, after a warm-up. */
function microsOf({ titles }: TitlesFile): number {
  const rounds = Math.ceil(TITLES_MEASURED / Math.max(1, titles.length) / 2);
  const run = () => {
    for (let round = 0; round < rounds; round += 1) matchTitles(titles);
  };
  run();
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (rounds * Math.max(1, titles.length));
}

function evaluateLabels({ titles }: TitlesFile, labels: Readonly<Record<string, TitleLabel | null>>): string {
  const kinds = new Map<string, Counts>();
  for (const { id, label, notPriceBinary } of titles) {
    const found = labels[id] ?? null;
    const wanted = label?.kind ?? KIND_OF_REASON[notPriceBinary ?? ''] ?? 'none of these';
    const actual = ['price_binary', 'price_range', 'up_down'].includes(found?.kind ?? '')
      ? found!.kind
      : 'none of these';
    const wrong = label ? FIELDS.filter((name) => (found?.[name] ?? null) !== (label[name] ?? null)) : [];
    countResult(kinds, wanted, actual, wrong.length === 0, wrong.length > 0 ? `${id} (${wrong.join(', ')})` : id);
  }
  return countsTable(kinds);
}

function evaluateLinks(
  { titles, pairs = [] }: TitlesFile,
  labels: Readonly<Record<string, TitleLabel | null>>,
  links: readonly TitleLink[],
): string {
  const truth = new Map(titles.map(({ id, label }) => [id, label ?? null]));
  const used = new Map(links.filter((link) => link.used).map((link) => [pairKey(link.a, link.b), link]));
  const verdicts = new Map(pairs.map(({ a, b, match }) => [pairKey(a, b), match]));
  const kinds = new Map<string, Counts>();
  for (const { a, b, match } of pairs) {
    if (match)
      countResult(kinds, labels[a]?.kind ?? 'unread', used.has(pairKey(a, b)) ? null : 'unlinked', true, `${a} ${b}`);
  }
  for (const [key, { a, b, polarity }] of used) {
    const verdict = verdicts.get(key) ?? isSame(truth.get(a) ?? null, truth.get(b) ?? null, polarity);
    const counts = kinds.get(labels[a]?.kind ?? 'unread') ?? emptyCounts();
    kinds.set(labels[a]?.kind ?? 'unread', counts);
    counts.found += 1;
    if (verdicts.get(key) === true) counts.right += 1;
    else if (verdict) counts.rightUnlisted += 1;
    else counts.wrong.push(`false: ${a} ${b}`);
  }
  return countsTable(kinds);
}

/** True if two labels agree, for a pair without a verdict. Under an inverse link the operators must differ. */
function isSame(a: ExpectedLabel | null, b: ExpectedLabel | null, polarity: string): boolean {
  if (!a || !b) return false;
  const sameOp = (a.op === b.op) === (polarity === 'same');
  return sameOp && FIELDS.every((name) => name === 'op' || (a[name] ?? null) === (b[name] ?? null));
}

function pairKey(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}
