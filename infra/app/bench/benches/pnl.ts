/**
 * Profit and loss of a wallet with 100,000 fills compared with a bare query of the same sums, as p99 of the latency:
 * `pnl` are the rows of every grouping, of all time and of a window, and `pnl-explain` is the first page of one book. REST
 * is requested over HTTP, and the baseline is a query of the same store without HTTP. The results that end with `p99`
 * are those of REST alone.
 *
 * Sources of error: the tables of markets and prices, which are empty; a wallet of venue_b, whose builders are all
 * known; merges of parts that were just inserted (they are forced before); other sums (it throws); for explain, a query of
 * two sums alone, while the page also has the events, the open lots, the comparison with the venue and the market.
 */
import { join } from 'node:path';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { END_MS } from '../candles/bars-service.ts';
import { compareReads } from '../candles/compare-reads.ts';
import { tokenOf } from '../ledgers/ledger-records.ts';
import { accountOf, bindAccount, openLedgerService } from '../ledgers/ledger-service.ts';
import { latencyResults } from '../measure.ts';

export interface PnlSize {
  readonly fills: number;
  readonly tokens: number;
  readonly rounds: number;
  readonly warmups: number;
}

const SIZE: PnlSize = { fills: 100_000, tokens: 50, rounds: 160, warmups: 16 };
const DAYS = 13;
const DAY_MS = 86_400_000;
const BUILDER = `0x${'0b'.repeat(32)}`;
const GROUPS = ['event', 'wallet', 'provider', 'builder'] as const;
/** Starts of the windows, unix ms; null for all time. */
const WINDOWS = [null, END_MS - 7 * DAY_MS] as const;
const REQUESTS = GROUPS.flatMap((group) => WINDOWS.map((since) => ({ group, since })));

export const pnl: Bench = {
  aims: {
    pnl: { ratioMax: 1.5 },
    'pnl-p99': { valueMaxMs: 200 },
    'pnl-explain': { ratioMax: 1.5 },
    'pnl-explain-p99': { valueMaxMs: 200 },
  },
  limitMs: 600_000,
  run: (context) => measurePnl(context, SIZE),
};

/** Exported for tests, which use fewer fills. */
export async function measurePnl({ folder, onProgress }: BenchContext, size: PnlSize): Promise<BenchResult[]> {
  const { fills, tokens, rounds, warmups } = size;
  const records = { accounts: 1, trades: fills, tokens, tradesOfDay: fills / DAYS, builder: BUILDER };
  const service = await openLedgerService(join(folder, 'service'), records);
  try {
    let walletId = '';
    const requestOf = (nth: number) => REQUESTS[nth % REQUESTS.length]!;
    const rows = await compareReads(service, {
      prepare: async (url) => {
        walletId = await bindAccount(url, service.token, 0);
      },
      path: (nth) => {
        const { group, since } = requestOf(nth);
        return `/v1/me/pnl?groupBy=${group}${since === null ? '' : `&since=${since}`}`;
      },
      sql: (nth) => sumsOf(requestOf(nth).since),
      isSame: (body, found) => {
        const { total, applied } = JSON.parse(body.toString()) as PnlBody;
        // Books without a builder have no row there.
        const rows = applied.groupBy === 'builder' ? found.filter(({ builder }) => builder !== null) : found;
        return isEqual(total.realized, sumOf(rows, 'realizedSum'));
      },
      ...{ rounds, warmups, onProgress: (share: number) => onProgress(share / 2) },
    });
    const explain = await compareReads(service, {
      path: () => `/v1/me/pnl/explain?walletId=${walletId}&tokenId=${tokenOf(0)}`,
      sql: () => `SELECT toFloat64(count()) AS events, sum(l.realized) AS realizedSum, sum(l.qty) AS open
        FROM book_events AS l FINAL WHERE ${OF_ACCOUNT} AND l.instrument = '${tokenOf(0)}'`,
      isSame: (body, found) => {
        const { book } = JSON.parse(body.toString()) as { book: { realized: number; openPosition: number } };
        return isEqual(book.realized, sumOf(found, 'realizedSum')) && isEqual(book.openPosition, sumOf(found, 'open'));
      },
      ...{ rounds, warmups, onProgress: (share: number) => onProgress((1 + share) / 2) },
    });
    return [...latencyResults('pnl', rows), ...latencyResults('pnl-explain', explain)];
  } finally {
    await service.close();
  }
}

interface PnlBody {
  readonly total: { readonly realized: number };
  readonly applied: { readonly groupBy: string };
}

const OF_ACCOUNT = `l.account = '${accountOf(0)}' AND l.state = 'applied'`;

/** The figures of each book. */
function sumsOf(since: number | null): string {
  const counts = since === null ? 'true' : `l.receivedAt >= fromUnixTimestamp64Milli(toInt64(${since}))`;
  return `SELECT l.instrument AS instrument, l.builder AS builder, sumIf(l.realized, ${counts}) AS realizedSum,
      sumIf(l.notional, ${counts}) AS notionalSum, sumIf(l.fee, ${counts}) AS feeSum, sum(l.qty) AS open,
      toFloat64(countIf(l.kind = 'fill' AND ${counts})) AS trades
    FROM book_events AS l FINAL WHERE ${OF_ACCOUNT}
    GROUP BY l.instrument, l.builder`;
}

function sumOf(found: readonly Readonly<Record<string, unknown>>[], column: string): number {
  return found.reduce((sum, row) => sum + Number(row[column] ?? 0), 0);
}

/** Sums of floats here, exact ones there. */
function isEqual(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a));
}
