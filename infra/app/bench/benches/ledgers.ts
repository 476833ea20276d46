/**
 * The stage `ledgers` over trades of bound accounts, in memory. `ledgers` is the number of trades per second: each is
 * decoded and applied, and every output encoded. The baseline decodes the same records and encodes the same outputs.
 * `ledger-memory` is the size of the stage's state after a million trades, compared with that after 100,000, with the
 * same lots open: a ledger retains 32 days of events, which both fill. `ledger-late-fill` is the time in which a fill is
 * applied that arrives 30 days late in a book with 100,000 fills, every sale of which it changes: in turns like those of
 * a service, its outputs encoded. `ledger-late-turn` is the longest of these turns. Neither has a baseline.
 *
 * Sources of error: books of a few lots, where closing a lot is cheap; outputs that the baseline encodes without having
 * made them (that is the calculation); the serialized state, which is smaller than the memory it takes; writing the
 * outputs of a late fill into the log, which is left out; pauses of the garbage collector, which lengthen turns.
 */
import { serialize } from 'node:v8';
import { createLedgersStage } from '#processors/ledgers/stage';
import type { Topic } from '#schemas/topics/topic';
import type { Codec } from '../../../codec/codec.ts';
import { isTurnUsedUp, nextTurn } from '../../../runtime/turn.ts';
import type { Slices } from '../../../stages/stage.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { codecOf, type EncodedRecord, InMemoryStage } from '../ledgers/in-memory-stage.ts';
import { lateTrade, ledgerRecords } from '../ledgers/ledger-records.ts';
import { alternate, rateResult, timed } from '../measure.ts';

export interface LedgersSize {
  readonly accounts: number;
  readonly trades: number;
  readonly rounds: number;
  readonly warmups: number;
  /** Trades after which the state is measured: the fewer, and the more. */
  readonly states: readonly [fewer: number, more: number];
  /** Fills of the book to which the late one belongs. */
  readonly bookFills: number;
}

const SIZE: LedgersSize = {
  accounts: 100,
  trades: 20_000,
  rounds: 9,
  warmups: 2,
  states: [100_000, 1_000_000],
  bookFills: 100_000,
};
/** Days of the retained events, and some more, so that the fewer trades fill them. */
const DAYS = 36;

export const ledgers: Bench = {
  aims: {
    ledgers: { ratioMin: 0.5 },
    'ledger-memory': { ratioMax: 1.3 },
    'ledger-late-fill': { valueMaxMs: 1_000 },
    'ledger-late-turn': { valueMaxMs: 20 },
  },
  limitMs: 600_000,
  run: (context) => measureLedgers(context, SIZE),
};

/** Exported for tests, which use fewer trades. */
export async function measureLedgers(
  { onProgress }: Pick<BenchContext, 'onProgress'>,
  { accounts, trades, rounds, warmups, states, bookFills }: LedgersSize,
): Promise<BenchResult[]> {
  const codec = await codecOf(createLedgersStage());
  const records = [...ledgerRecords({ accounts, trades, tradesOfDay: trades })].map(
    ({ topic, value }): EncodedRecord => ({ topic, bytes: codec.encode<unknown>(topic, value) }),
  );
  const outputs: (readonly [Topic, unknown])[] = [];
  // Copies: the engine would place all later outputs among long-lived objects if those of this run were retained.
  const copyOf = (topic: Topic, value: unknown) => codec.decode(topic, codec.encode(topic, value));
  run(codec, records, (topic, value) => void outputs.push([topic, copyOf(topic, value)]));
  const measure = (work: () => void) => () =>
    timed(() => {
      work();
      return trades;
    });
  const subject = measure(() => run(codec, records, (topic, value) => codec.encode(topic, value)));
  const baseline = measure(() => decodeAndEncode(codec, records, outputs));
  const options = { rounds, warmups, onProgress: (share: number) => onProgress(share / 2) };
  const rates = await alternate(subject, baseline, options);
  const [fewer, more] = states;
  const bytesAfter = (count: number) => stateBytes(accounts, count, fewer / DAYS);
  const [baselineBytes, bytes] = [bytesAfter(fewer), bytesAfter(more)];
  const late = await measureLateFill(codec, bookFills);
  onProgress(1);
  const alone = { unit: 'ms', baseline: null, ratio: null } as const;
  return [
    rateResult('ledgers', 'events/s', rates),
    { name: 'ledger-memory', value: bytes, unit: 'bytes', baseline: baselineBytes, ratio: bytes / baselineBytes },
    { name: 'ledger-late-fill', value: late.ms, ...alone },
    { name: 'ledger-late-turn', value: late.turnMs, ...alone },
  ];
}

/** Runs the stage. Throws if it writes nothing. */
function run(codec: Codec, records: readonly EncodedRecord[], onOutput: (topic: Topic, value: unknown) => void): void {
  let count = 0;
  const stage = new InMemoryStage(createLedgersStage(), (topic, value) => {
    count += 1;
    onOutput(topic, value);
  });
  for (const { topic, bytes } of records)
    stage.handle(topic, codec.decode<unknown>(topic, bytes) as { readonly receivedAt: number });
  if (count < records.length) throw new Error(`${count} outputs of ${records.length} records`);
}

function decodeAndEncode(
  codec: Codec,
  records: readonly EncodedRecord[],
  outputs: readonly (readonly [Topic, unknown])[],
): void {
  for (const { topic, bytes } of records) codec.decode(topic, bytes);
  for (const [topic, value] of outputs) codec.encode(topic, value);
}

function stateBytes(accounts: number, trades: number, tradesOfDay: number): number {
  const stage = new InMemoryStage(createLedgersStage(), () => {});
  for (const { topic, value } of ledgerRecords({ accounts, trades, tradesOfDay })) stage.handle(topic, value);
  return serialize(stage.state).length;
}

/** Days of a book before a late fill. */
const LATE_DAYS = 30;
/** Outputs that are encoded in one slice. */
const SLICE_OUTPUTS = 64;

/** Applies a late fill to a book. Returns the milliseconds it takes, and those of the longest turn. Throws if it changes no sale. */
async function measureLateFill(codec: Codec, fills: number): Promise<{ ms: number; turnMs: number }> {
  const outputs: (readonly [Topic, unknown])[] = [];
  const stage = new InMemoryStage(createLedgersStage(), (topic, value) => void outputs.push([topic, value]));
  for (const { topic, value } of ledgerRecords({
    accounts: 1,
    trades: fills,
    tradesOfDay: fills / LATE_DAYS,
    tokens: 1,
  })) {
    stage.handle(topic, value);
    outputs.length = 0;
  }
  const { topic, value } = lateTrade(fills, 1);
  const startedAt = performance.now();
  const slices = stage.begin(topic, value);
  const turnMs = Math.max(await inTurns(slices), await inTurns(encodeInSlices(codec, outputs)));
  const ms = performance.now() - startedAt;
  if (outputs.length < fills / 2) throw new Error(`a late fill has ${outputs.length} outputs`);
  return { ms, turnMs };
}

function* encodeInSlices(codec: Codec, outputs: readonly (readonly [Topic, unknown])[]): Slices {
  for (const [at, [topic, value]] of outputs.entries()) {
    if (at % SLICE_OUTPUTS === 0) yield;
    codec.encode(topic, value);
  }
}

/** Returns the milliseconds of the longest turn. */
async function inTurns(slices: Slices | undefined): Promise<number> {
  let longest = 0;
  let startedAt = performance.now();
  while (slices?.next().done === false) {
    longest = Math.max(longest, performance.now() - startedAt);
    if (!isTurnUsedUp()) continue;
    await nextTurn();
    startedAt = performance.now();
  }
  return Math.max(longest, performance.now() - startedAt);
}
