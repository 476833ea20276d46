/** Reads the response to `portfolio` of venue_a (venue page, section 3.2). */
import { type Decimal, parseDecimal } from '../decimal.ts';
import { FieldError, readDecimal, readInteger, readList, readObject, readText, withPath } from '../json-fields.ts';
import type { SeriesPoint, Window } from './series.ts';

/** The venue's name of each window. */
const PERIODS: Readonly<Record<Window, string>> = { '1D': 'day', '1W': 'week', '1M': 'month', ALL: 'allTime' };

/**
 * Reads the series of every window; one of an account that the venue does not know has no points. Throws a `FieldError`
 * for a missing window, histories of different times, or a figure that is no decimal.
 */
export function readPortfolio(response: unknown): Readonly<Record<Window, readonly SeriesPoint[]>> {
  const periods = new Map(
    readList(response, 'portfolio').map((value, at) => {
      const pair = readList(value, `portfolio[${at}]`);
      return [readText(pair[0], `portfolio[${at}][0]`), pair[1]] as const;
    }),
  );
  const seriesOf = (window: Window) => readPeriod(periods.get(PERIODS[window]), PERIODS[window]);
  return { '1D': seriesOf('1D'), '1W': seriesOf('1W'), '1M': seriesOf('1M'), ALL: seriesOf('ALL') };
}

function readPeriod(value: unknown, period: string): SeriesPoint[] {
  try {
    const histories = readObject(value, 'histories');
    const values = readHistory(histories.accountValueHistory, 'accountValueHistory');
    const pnls = readHistory(histories.pnlHistory, 'pnlHistory');
    if (values.length !== pnls.length) throw new FieldError('pnlHistory', `${values.length} points`, pnls.length);
    const first = pnls[0]?.figure ?? 0n;
    return values.map(({ ts, figure }, at) => {
      const pnl = pnls[at]!;
      if (pnl.ts !== ts) throw new FieldError(`pnlHistory[${at}]`, `the time ${ts}`, pnl.ts);
      return { ts, nav: figure, pnl: (pnl.figure - first) as Decimal };
    });
  } catch (error) {
    throw withPath(error, period);
  }
}

function readHistory(value: unknown, field: string): { readonly ts: number; readonly figure: Decimal }[] {
  let before = 0;
  return readList(value, field).map((item, at) => {
    const place = `${field}[${at}]`;
    const pair = readList(item, place);
    const ts = readInteger(pair[0], `${place}[0]`);
    if (ts < before) throw new FieldError(`${place}[0]`, `a time from ${before} on`, ts);
    before = ts;
    return { ts, figure: parseDecimal(readDecimal(pair[1], `${place}[1]`)) };
  });
}
