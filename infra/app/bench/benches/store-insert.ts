/**
 * Rows per second of the store compared with the client that it wraps. Batches of trade rows go through `Store.insert`.
 * The baseline inserts the same rows as objects with a bare `@clickhouse/client` over chDB, as its documentation shows,
 * into a table of the same schema.
 *
 * Sources of error: one table for both, whose merges could run during the other's rounds; equal rows, which compress to
 * nothing; small batches, where the fixed cost of a statement dominates.
 */

import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { createChdbConnection } from 'chdb/connection';
import { tradesTable } from '#schemas/tables/trades';
import type { Trade } from '#schemas/topics/normalised';
import { migrate } from '../../../store/migrate.ts';
import { openStore } from '../../../store/open-store.ts';
import type { Row } from '../../../store/store.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { alternate, rateResult, timedAsync } from '../measure.ts';

const BATCH_ROWS = 5_000;
const ROUNDS = 9;
const WARMUPS = 2;
const BARE_TABLE = 'trades_bare';

type ClientOptions = NonNullable<Parameters<typeof createClient>[0]>;

export const storeInsert: Bench = {
  aims: { 'store-insert': { ratioMin: 0.8 } },
  async run({ folder, onProgress }: BenchContext): Promise<BenchResult[]> {
    const dataDir = join(folder, 'service');
    const store = await openStore({ store: 'embedded', dataDir });
    try {
      await migrate(store);
      await store.command(`CREATE TABLE ${BARE_TABLE} AS ${tradesTable.name}`);
      const bare = await openBare(dataDir, store.database);
      let generated = 0;
      const rows = () => {
        generated += BATCH_ROWS;
        return makeRows(generated - BATCH_ROWS, BATCH_ROWS);
      };
      const subject = async () => {
        const batch = rows();
        return timedAsync(async () => {
          await store.insert(tradesTable.name, batch);
          return batch.length;
        });
      };
      const baseline = async () => {
        const batch = rows();
        return timedAsync(async () => {
          await bare.insert({ table: BARE_TABLE, values: batch, format: 'JSONEachRow' });
          return batch.length;
        });
      };
      const rates = await alternate(subject, baseline, { rounds: ROUNDS, warmups: WARMUPS, onProgress });
      await bare.close();
      return [rateResult('store-insert', 'rows/s', rates)];
    } finally {
      await store.close();
    }
  },
};

/** Opens a second client on the same engine and database. */
async function openBare(dataDir: string, database: string) {
  const connection = createChdbConnection({ path: join(dataDir, 'store') }) as unknown;
  const client = createClient({ connection: connection as NonNullable<ClientOptions['connection']> });
  await client.command({ query: `USE ${database}` });
  return client;
}

/** Generates realistic trades with varying prices, addresses and hashes. */
function makeRows(from: number, count: number): Row[] {
  return Array.from({ length: count }, (_, nth) => {
    const at = from + nth;
    return tradesTable.row(makeTrade(at), {
      topic: 'derived.trades.venue_a',
      partition: 0,
      offset: at,
      seq: at + 1,
      key: `COIN${at % 50}`,
      receivedAt: BEGINS_MS + at,
    });
  });
}

const BEGINS_MS = Date.UTC(2026, 0, 15, 12);

function makeTrade(at: number): Trade {
  const coin = `COIN${at % 50}`;
  const hex = (salt: number, digits: number) =>
    Math.imul(at + 1, salt)
      .toString(16)
      .replace('-', '')
      .padStart(8, '0')
      .repeat(Math.ceil(digits / 8))
      .slice(0, digits);
  return {
    id: `venue_a_perp:${coin}:${BEGINS_MS + at}:${at}`,
    provider: 'venue_a_perp',
    marketId: coin,
    instrument: coin,
    outcome: null,
    ts: BEGINS_MS + at,
    receivedAt: BEGINS_MS + at + 40,
    arrival: at,
    side: at % 3 === 0 ? 'sell' : 'buy',
    price: `${1_000 + (Math.imul(at, 2_654_435_761) >>> 20)}.${((at * 7) % 9) + 1}`,
    qty: `0.${((at * 13) % 8_999) + 1_001}1`,
    usd: null,
    maker: `0x${hex(2_246_822_519, 40)}`,
    taker: `0x${hex(3_266_489_917, 40)}`,
    txHash: `0x${hex(668_265_263, 64)}`,
    logIndex: null,
    tradeId: String(at),
    blockNumber: null,
    blockHash: null,
    orders: null,
    status: 'confirmed',
  };
}
