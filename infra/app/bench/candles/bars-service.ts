/** A data directory with bars of instruments, and the records from which REST knows the instruments. */
import { TOPICS } from '#schemas/topics/catalog';
import { clockTopic } from '#schemas/topics/control';
import { partitionOf, type Topic } from '#schemas/topics/topic';
import type { RoleContext } from '../../../runtime/context.ts';
import { migrate } from '../../../store/migrate.ts';
import { openService, type SimulatedService } from '../../simulated-service.ts';

export const MINUTE_MS = 60_000;
/** End of all bars: a UTC midnight. */
export const END_MS = Date.UTC(2026, 0, 15);

interface ViewRecord {
  readonly topic: Topic;
  readonly key: string;
  readonly value: unknown;
}

/** A record of a view. */
export function recordOf<T>(topic: Topic<T>, key: string, value: T): ViewRecord {
  return { topic: topic as Topic, key, value };
}

/** Opens a service without roles whose log holds the records, and whose clock is at `END_MS`. */
export async function openBarsService(folder: string, records: readonly ViewRecord[]): Promise<SimulatedService> {
  const service = await openService(folder);
  try {
    const clock = { receivedAt: END_MS, tick: true, hour: true, day: true };
    await appendRecords(service.context, [...records, recordOf(clockTopic, 'clock', clock)]);
    await migrate(service.context.store);
    return service;
  } catch (error) {
    await service.close();
    throw error;
  }
}

async function appendRecords({ log, codec }: RoleContext, records: readonly ViewRecord[]): Promise<void> {
  await log.createTopics(TOPICS);
  const seqs = new Map<string, number>();
  const appended = records.map(({ topic, key, value }) => {
    const partition = partitionOf(key, topic.partitions);
    const seq = (seqs.get(`${topic.name} ${partition}`) ?? 0) + 1;
    seqs.set(`${topic.name} ${partition}`, seq);
    return { topic: topic.name, partition, key, value: codec.encode(topic, value), receivedAt: END_MS, seq };
  });
  await log.append(appended);
}

/** One-minute bars of several instruments of a provider, until `END_MS`. */
export interface SeededBars {
  readonly provider: string;
  /** Instruments, or SQL of the name of the `coin`-th one. */
  readonly coins: readonly string[];
  readonly source: string;
  /** For each instrument. */
  readonly minutes: number;
  /** SQL of a price, from `number`. */
  readonly price: string;
  /** True for bars that state the places of their first and last trade. */
  readonly hasPlaces: boolean;
}

/** Rows of one INSERT. */
const BATCH_ROWS = 500_000;
/** Of every instrument the newest minutes, which the sink wrote more than once. */
const REPEATED_MINUTES = 300;

/** Fills the table of bars, and states that they are complete. */
export async function seedBars({ store }: RoleContext, bars: SeededBars): Promise<void> {
  const { provider, coins, source, minutes } = bars;
  const rows = coins.length * minutes;
  for (let from = 0; from < rows; from += BATCH_ROWS)
    await store.command(insertOf(bars, `numbers(${from}, ${Math.min(BATCH_ROWS, rows - from)})`, 'number', 2));
  const repeated = Math.min(minutes, REPEATED_MINUTES);
  const place = `intDiv(number, ${repeated}) * ${minutes} + ${minutes - repeated} + number % ${repeated}`;
  await store.command(insertOf(bars, `numbers(${coins.length * repeated})`, place, 1));
  const start = END_MS - minutes * MINUTE_MS;
  const values = coins.map(
    (coin) =>
      `('${provider}', '${coin}', '${source}', ${MINUTE_MS}, 'first 1', 'complete', ${timeOf(String(start))}, NULL, ${timeOf(String(start))}, 1)`,
  );
  await store.command(
    `INSERT INTO candle_ranges (provider, coin, source, intervalMs, id, kind, \`from\`, \`until\`, receivedAt, version)
     VALUES ${values.join(', ')}`,
  );
}

/** @param place SQL of the number of a bar: the minutes of the first instrument, then those of the next one. */
function insertOf(
  { provider, coins, source, minutes, price, hasPlaces }: SeededBars,
  rows: string,
  place: string,
  version: number,
): string {
  const open = `toInt64(${END_MS - minutes * MINUTE_MS}) + (place % ${minutes}) * ${MINUTE_MS}`;
  const placed = hasPlaces
    ? [`${timeOf('openMs + 1')}`, 'place * 2', `${timeOf('openMs + 59000')}`, 'place * 2 + 1']
    : ['NULL', 'NULL', 'NULL', 'NULL'];
  return `INSERT INTO candle_bars (provider, coin, openTime, receivedAt, open, high, low, close, volume, trades, source,
      intervalMs, openTs, openArrival, closeTs, closeArrival, version)
    SELECT '${provider}', arrayElement([${coins.map((coin) => `'${coin}'`).join(', ')}], intDiv(place, ${minutes}) + 1),
      ${timeOf('openMs')}, ${timeOf('openMs + 59500')}, price, price + ${distance('0.09')}, price - ${distance('0.09')}, price + ${distance('0.05')},
      CAST(concat(toString(place % 90 + 1), '.', toString(place % 9 + 1)) AS Decimal(38, 18)), place % 60 + 1, '${source}',
      ${MINUTE_MS}, ${placed.join(', ')}, ${version}
    FROM (SELECT place, ${open} AS openMs, CAST(${price} AS Decimal(38, 18)) AS price
      FROM (SELECT ${place} AS place FROM ${rows}))`;
}

/** A part of a price. A literal with a decimal point would be a float, so that prices would have digits that no venue's have. */
function distance(text: string): string {
  return `toDecimal128('${text}', 18)`;
}

function timeOf(ms: string): string {
  return `fromUnixTimestamp64Milli(toInt64(${ms}))`;
}

/**
 * Merges parts of the table of bars, then ends all merges of this process: those of what was just inserted would take
 * processor time from the reads that are measured.
 */
export async function endMerges({ store }: RoleContext): Promise<void> {
  await store.command('OPTIMIZE TABLE candle_bars');
  await store.command('SYSTEM STOP MERGES');
}

/** Fills the table of trades: they are spread over coins and over time until `END_MS`. */
export async function seedTrades(
  { store }: RoleContext,
  count: number,
  coins: readonly string[],
  minutes: number,
): Promise<void> {
  const start = END_MS - minutes * MINUTE_MS;
  const names = coins.map((coin) => `'${coin}'`).join(', ');
  for (let from = 0; from < count; from += BATCH_ROWS)
    await store.command(
      `INSERT INTO trades (id, provider, marketId, instrument, outcome, ts, receivedAt, arrival, side, price, qty, usd, maker,
         taker, txHash, logIndex, tradeId, blockNumber, blockHash, status, version)
       SELECT concat('venue_a_perp:', coin, ':', toString(ms), ':', toString(number)), 'venue_a_perp', coin, coin, NULL,
         ${timeOf('ms')}, ${timeOf('ms + 40')}, number, if(number % 3 = 0, 'sell', 'buy'),
         CAST(concat(toString(50000 + cityHash64(number) % 9000), '.5') AS Decimal(38, 18)),
         CAST(concat('0.', toString(number % 9 + 1)) AS Decimal(38, 18)), NULL, NULL, NULL,
         concat('0x', leftPad(hex(number), 64, '0')), NULL, toString(number), NULL, NULL, 'confirmed', number + 1
       FROM (SELECT number, arrayElement([${names}], number % ${coins.length} + 1) AS coin,
         toInt64(${start}) + intDiv(number * ${minutes * MINUTE_MS}, ${count}) AS ms
         FROM numbers(${from}, ${Math.min(BATCH_ROWS, count - from)}))`,
    );
}
