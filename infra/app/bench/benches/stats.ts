/**
 * Competition stats of 200 wallets with snapshots compared with a bare query of the same sums, as p99 of the latency. REST
 * is requested over HTTP, and the baseline is a query of the same store without HTTP. `stats-p99` is that of REST
 * alone.
 *
 * Sources of error: sums that were read for an earlier request (each one has another end); wallets of venue_b, of whose
 * fills less is summed up than of those of venue_a; merges of parts that were just inserted (they are forced before);
 * other sums (it throws).
 */
import { join } from 'node:path';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { END_MS } from '../candles/bars-service.ts';
import { compareReads } from '../candles/compare-reads.ts';
import { bindAccount, openLedgerService } from '../ledgers/ledger-service.ts';
import { latencyResults } from '../measure.ts';

export interface StatsSize {
  readonly wallets: number;
  /** Of all wallets together. */
  readonly fills: number;
  readonly rounds: number;
  readonly warmups: number;
}

const SIZE: StatsSize = { wallets: 200, fills: 100_000, rounds: 150, warmups: 15 };
const DAYS = 13;

export const stats: Bench = {
  aims: { stats: { ratioMax: 1.5 }, 'stats-p99': { valueMaxMs: 200 } },
  limitMs: 600_000,
  run: (context) => measureStats(context, SIZE),
};

/** Exported for tests, which use fewer wallets. */
export async function measureStats({ folder, onProgress }: BenchContext, size: StatsSize): Promise<BenchResult[]> {
  const { wallets, fills, rounds, warmups } = size;
  const records = { accounts: wallets, trades: fills, tradesOfDay: fills / DAYS };
  const service = await openLedgerService(join(folder, 'service'), records);
  try {
    const latencies = await compareReads(service, {
      prepare: async (url) => {
        for (let nth = 0; nth < wallets; nth += 1) await bindAccount(url, service.token, nth);
      },
      path: (nth) => `/v1/me/stats?groupBy=wallet&to=${END_MS + nth}`,
      sql: (nth) => `SELECT l.account AS account, sum(l.notional) AS volume
        FROM book_events AS l FINAL
        WHERE l.state = 'applied' AND l.kind = 'fill' AND l.ts < fromUnixTimestamp64Milli(toInt64(${END_MS + nth}))
        GROUP BY l.account`,
      isSame: (body, found) => {
        const { data } = JSON.parse(body.toString()) as { data: readonly StatsRow[] };
        const volume = found.reduce((sum, row) => sum + Number(row.volume), 0);
        return (
          data.length === wallets &&
          data.every((row) => row.accountValueUsd !== null) &&
          Math.abs(data.reduce((sum, row) => sum + row.volumeUsd, 0) - volume) <= 1e-9 * volume
        );
      },
      ...{ rounds, warmups, onProgress },
    });
    return latencyResults('stats', latencies);
  } finally {
    await service.close();
  }
}

interface StatsRow {
  readonly volumeUsd: number;
  readonly accountValueUsd: number | null;
}
