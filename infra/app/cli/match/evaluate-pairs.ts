/** Compares links in use with the verdicts on pairs of markets of two venues. */
import { matchTitles, type TitleInput } from '#processors/events/match-titles';
import { parseCsv } from './csv.ts';

/** Reports per family of questions how many of the matches are linked, and which other pairs are. */
export function evaluatePairs(csv: string): string {
  const families = new Map<string, { match: number; used: number; missed: string[]; wrong: string[] }>();
  const rows = parseCsv(csv);
  for (const row of rows) {
    const { verdict = '', family = '', venue_b_market_id: id = '', venue_c_ticker: ticker = '' } = row;
    const counts = families.get(family) ?? { match: 0, used: 0, missed: [], wrong: [] };
    families.set(family, counts);
    const isUsed = matchTitles(titlesOf(row)).links.some(({ used }) => used);
    if (verdict === 'match') {
      counts.match += 1;
      if (isUsed) counts.used += 1;
      else counts.missed.push(`${id} ${ticker}`);
    } else if (isUsed) counts.wrong.push(`${id} ${ticker} (${verdict})`);
  }
  // A market that is in several pairs counts once.
  const titles = new Map(rows.flatMap(titlesOf).map((title) => [title.id, title]));
  const cross = matchTitles([...titles.values()]).links.filter(({ used }) => used);
  const same = new Set(
    rows
      .filter(({ verdict }) => verdict === 'match')
      .map((row) =>
        titlesOf(row)
          .map(({ id }) => id)
          .join(' '),
      ),
  );
  const unlisted = cross.filter(({ a, b }) => !same.has(`${a} ${b}`) && !same.has(`${b} ${a}`));
  return [
    '',
    'pairs of two venues, links in use',
    ...[...families].map(
      ([family, { match, used, missed, wrong }]) =>
        `  ${family.padEnd(16)}  ${used} of ${match} matches  false: ${wrong.join('; ') || 'none'}  missed: ${missed.join('; ') || 'none'}`,
    ),
    `  all against all: ${cross.length} links in use, not among the listed matches: ${unlisted.map(({ a, b }) => `${a} ${b}`).join('; ') || 'none'}`,
  ].join('\n');
}

function titlesOf(row: Readonly<Record<string, string>>): TitleInput[] {
  const end = row.venue_b_end || row.venue_c_end || null;
  return [
    { id: `b${row.venue_b_market_id}`, venue: 'venue_b', title: row.venue_b_title ?? null, contextDate: end },
    {
      id: row.venue_c_ticker ?? '',
      venue: 'venue_c',
      marketId: row.venue_c_ticker,
      title: row.venue_c_title ?? null,
      subtitle: row.venue_c_yes_subtitle || null,
      contextDate: row.venue_c_end || null,
    },
  ];
}
