/** Kills a replay of changed logic at each step, and checks that the next start finishes it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectionsOf } from '#processors/stages';
import { TABLES } from '#schemas/tables/index';
import { candleTopic } from '#schemas/topics/candles';
import { type ClockMark, clockTopic, deadLetterTopic } from '#schemas/topics/control';
import { type Spread, spreadHeadTopic, spreadTopic } from '#schemas/topics/derived';
import type { Topic } from '#schemas/topics/topic';
import { deadLetterRecord, NO_OFFSET, TOO_LARGE } from '../../../log/dead-letter.ts';
import type { EventLog } from '../../../log/log.ts';
import { readPartition } from '../../../log/read-partition.ts';
import { on, type Stage } from '../../../stages/stage.ts';
import { createMetrics } from '../../../telemetry/metrics.ts';
import { openPorts, type Ports } from '../ports.ts';
import { isDropUnfinished } from './drop-projections.ts';
import { rebuild } from './rebuild.ts';
import { rebuildInPlace } from './rebuild-in-place.ts';
import { finishInterruptedReplay } from './run-exclusively.ts';
import { verifyAgainstRebuild } from './verify.ts';

const MARKS = 5;
interface Count {
  seen: number;
}
/** Version 1 emits a spread for every mark, version 2 for every other mark: fewer outputs, all different. */
const reader = (every: number): Stage<Count> => ({
  name: 'reader',
  inputs: [
    on<Count, ClockMark>(clockTopic, (state, { receivedAt }, emit) => {
      state.seen += 1;
      if (state.seen % every !== 0) return;
      const universalId = `evt_${state.seen}`;
      const spread = { universalId, receivedAt, legs: [], causeProvider: `v${every}`, causeMarketId: null };
      emit<Spread>(spreadTopic, 'evt', spread);
    }),
  ],
  outputs: [spreadTopic],
  initialState: () => ({ seen: 0 }),
});
const follower: Stage<Count> = {
  name: 'follower',
  inputs: [
    on<Count, Spread>(spreadTopic, (state, { value }, emit) => {
      state.seen += 1;
      emit<Spread>(spreadHeadTopic, 'evt', { ...value, causeMarketId: String(state.seen) });
    }),
  ],
  outputs: [spreadHeadTopic],
  initialState: () => ({ seen: 0 }),
};
const [before, after] = [1, 2].map((every) => [reader(every), follower] as unknown as readonly Stage<unknown>[]);

let folder: string;
let ports: Ports;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parallax-drop-'));
  const settings = { log: 'embedded', store: 'embedded', schemaRegistry: null, venues: 'sim', retentionDays: 30 };
  ports = await openPorts({ dataDir: folder, ...settings } as never);
  const { log, codec } = ports;
  for (let seq = 1; seq <= MARKS; seq += 1) {
    const value = codec.encode(clockTopic, { receivedAt: seq * 1_000, tick: true, hour: true, day: false });
    await log.append([{ topic: clockTopic.name, partition: 0, key: 'clock', value, receivedAt: seq * 1_000, seq }]);
  }
});
afterAll(async () => {
  await ports.close();
  rmSync(folder, { recursive: true, force: true });
});

const replayOf = (stages: readonly Stage<unknown>[], using = ports) => ({
  ports: using,
  stages,
  logger: pino({ level: 'silent' }),
  metrics: createMetrics(),
  bars: false,
  label: 'test',
});
/** Does what a start of the service does: finishes an interrupted replay, then runs every stage and the sink. */
async function start(stages: readonly Stage<unknown>[]) {
  await finishInterruptedReplay({ ...ports, logger: pino({ level: 'silent' }) }, stages);
  await rebuild(replayOf(stages));
}

/** Reads everything that is derived, without offsets and append times. */
async function derived() {
  const records: unknown[] = [];
  for (const topic of [spreadHeadTopic, spreadTopic] as Topic<Spread>[])
    for (let partition = 0; partition < topic.partitions; partition += 1)
      await readPartition(ports.log, { topic: topic.name, partition }, ({ seq, value }) => {
        const { universalId, causeProvider, causeMarketId } = ports.codec.decode(topic, value!);
        records.push([topic.name, seq, universalId, causeProvider, causeMarketId]);
      });
  const rows = await ports.store.query('SELECT universalId, receivedAt, causeProvider FROM spreads FINAL ORDER BY ALL');
  return { records, rows, deadLetters: await deadLetterKeys() };
}
async function deadLetterKeys() {
  const keys: string[] = [];
  for (const topic of [clockTopic, spreadTopic, candleTopic] as Topic[])
    await readPartition(
      ports.log,
      { topic: deadLetterTopic(topic.name).name, partition: 0 },
      ({ key }) => void keys.push(key),
    );
  return keys;
}
async function appendDeadLetter(stage: string, topic: Topic, offset: number) {
  const { log, codec } = ports;
  const dead = deadLetterTopic(topic.name) as Topic;
  await log.createTopics([dead]);
  await codec.prepare([dead]);
  const deadLetter = { stage, topic: topic.name, partition: 0, offset, key: 'k', detail: '', receivedAt: 1_000 };
  const reason = offset === NO_OFFSET ? TOO_LARGE : 'handler_failed';
  await log.append([
    deadLetterRecord(codec, `${stage} ${offset}`, { ...deadLetter, reason, value: Buffer.from('bytes') }),
  ]);
}
/** Restores the state before the replay. */
async function prepare() {
  await rebuildInPlace(replayOf(before!), 'embedded');
  for (const [stage, topic] of [
    ['follower', spreadTopic],
    ['sink', candleTopic],
    ['reader', clockTopic],
  ] as const)
    await appendDeadLetter(stage, topic as Topic, 3);
}

class Killed extends Error {}
/** Ports that throw `Killed` at the nth write. */
function killedAt(step: number): Ports {
  let steps = 0;
  const counted =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A) => {
      steps += 1;
      if (steps >= step) throw new Killed();
      return work(...args);
    };
  const log = Object.create(ports.log) as EventLog;
  log.clearTopic = counted((topic: string) => ports.log.clearTopic(topic));
  log.append = counted((records) => ports.log.append(records));
  const store = Object.create(ports.store) as Ports['store'];
  store.command = counted((sql: string) => ports.store.command(sql));
  return { ...ports, log, store };
}

it('drops snapshots before the topics that they cover, and outputs in reverse order of the data', () => {
  const names = projectionsOf(before!).map(({ name }) => name);
  const places = ['state.reader', 'state.follower.daily', spreadHeadTopic.name, spreadTopic.name].map((name) =>
    names.indexOf(name),
  );
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(names).toContain('dead.derived.candles');
});

it('gives the same result when it is killed at any step and the next start finishes it', async () => {
  await appendDeadLetter('ingest', clockTopic as Topic, NO_OFFSET);
  await prepare();
  expect(await deadLetterKeys()).toHaveLength(4);
  await rebuildInPlace(replayOf(after!), 'embedded');
  const undisturbed = await derived();
  expect(undisturbed.records).toHaveLength(2 * Math.floor(MARKS / 2));
  expect(undisturbed.rows).toHaveLength(Math.floor(MARKS / 2));
  // Only dead letters of records that never entered the log cannot be derived again, so they are retained.
  expect(undisturbed.deadLetters).toEqual([`ingest ${NO_OFFSET}`]);

  let step = 1;
  for (let isFinished = false; !isFinished; step += 1) {
    await prepare();
    isFinished = await rebuildInPlace(replayOf(after!, killedAt(step)), 'embedded').then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Killed)) throw error;
        return false;
      },
    );
    if (step === 1) {
      // Nothing was dropped yet, so there is nothing to finish.
      expect(await isDropUnfinished(ports.log)).toBe(false);
      continue;
    }
    await start(after!);
    expect(await derived(), `killed at step ${step}`).toEqual(undisturbed);
    expect(await isDropUnfinished(ports.log)).toBe(false);
  }
  expect(step).toBeGreaterThan(projectionsOf(after!).length + TABLES.length);
}, 120_000);

it('refuses to verify before an interrupted drop is finished', async () => {
  await expect(rebuildInPlace(replayOf(after!, killedAt(4)), 'embedded')).rejects.toBeInstanceOf(Killed);
  const options = { scratchDir: join(folder, 'verify'), retentionDays: 30 };
  await expect(verifyAgainstRebuild(replayOf(after!), options)).rejects.toMatchObject({ name: 'ReplayRefusedError' });
  await start(after!);
  expect(await verifyAgainstRebuild(replayOf(after!), options)).toEqual({ differences: [], pending: {} });
});
