/** A replay of changed logic that is killed at any step, and what the next start makes of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectionsOf } from '#processors/stages';
import { TABLES } from '#schemas/tables/index';
import { type ClockMark, clockTopic, deadTopic } from '#schemas/topics/control';
import { candleTopic, type Spread, spreadHeadTopic, spreadTopic } from '#schemas/topics/derived';
import type { Topic } from '#schemas/topics/topic';
import { deadLetterRecord, NO_OFFSET, TOO_LARGE } from '../../log/dead-letter.ts';
import type { EventLog } from '../../log/log.ts';
import { readPartition } from '../../log/read-partition.ts';
import { on, type Stage } from '../../stages/stage.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { openPorts, type Ports } from '../ports.ts';
import { finishInterruptedReplay } from './alone.ts';
import { isDropUnfinished } from './drop-projections.ts';
import { rebuild } from './rebuild.ts';
import { rebuildInPlace } from './rebuild-in-place.ts';
import { verifyAgainstRebuild } from './verify.ts';

const MARKS = 5;
interface Count {
  seen: number;
}
/** Version 1 tells every mark once, version 2 every other one: fewer outputs, of which each is another. */
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

const given = (stages: readonly Stage<unknown>[], over = ports) => ({
  ports: over,
  stages,
  logger: pino({ level: 'silent' }),
  metrics: createMetrics(),
  bars: false,
  label: 'test',
});
/** As the service does: finishes what was interrupted, then goes on with every stage and the sink. */
async function start(stages: readonly Stage<unknown>[]) {
  await finishInterruptedReplay({ ...ports, logger: pino({ level: 'silent' }) }, stages);
  await rebuild(given(stages));
}

/** All that is derived, without what the log itself adds. */
async function derived() {
  const told: unknown[] = [];
  for (const topic of [spreadHeadTopic, spreadTopic] as Topic<Spread>[])
    for (let partition = 0; partition < topic.partitions; partition += 1)
      await readPartition(ports.log, { topic: topic.name, partition }, ({ seq, value }) => {
        const { universalId, causeProvider, causeMarketId } = ports.codec.decode(topic, value!);
        told.push([topic.name, seq, universalId, causeProvider, causeMarketId]);
      });
  const rows = await ports.store.query('SELECT universalId, receivedAt, causeProvider FROM spreads FINAL ORDER BY ALL');
  return { told, rows, letters: await letters() };
}
async function letters() {
  const kept: string[] = [];
  for (const topic of [clockTopic, spreadTopic, candleTopic] as Topic[])
    await readPartition(
      ports.log,
      { topic: deadTopic(topic.name).name, partition: 0 },
      ({ key }) => void kept.push(key),
    );
  return kept;
}
async function bury(stage: string, topic: Topic, offset: number) {
  const { log, codec } = ports;
  const dead = deadTopic(topic.name) as Topic;
  await log.createTopics([dead]);
  await codec.prepare([dead]);
  const letter = { stage, topic: topic.name, partition: 0, offset, key: 'k', detail: '', receivedAt: 1_000 };
  const reason = offset === NO_OFFSET ? TOO_LARGE : 'handler_failed';
  await log.append([deadLetterRecord(codec, `${stage} ${offset}`, { ...letter, reason, value: Buffer.from('bytes') })]);
}
/** What stood there before anything was replayed. */
async function begin() {
  await rebuildInPlace(given(before!));
  for (const [stage, topic] of [
    ['follower', spreadTopic],
    ['sink', candleTopic],
    ['reader', clockTopic],
  ] as const)
    await bury(stage, topic as Topic, 3);
}

class Killed extends Error {}
/** Ports that end the work at the nth step that changes something. */
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

it('drops the topics of every table, the snapshots before what they stand for, and outputs against the order of the data', () => {
  const names = projectionsOf(before!).map(({ name }) => name);
  const places = ['state.reader', 'state.follower.cuts', spreadHeadTopic.name, spreadTopic.name].map((name) =>
    names.indexOf(name),
  );
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(names).toContain('dead.derived.candles');
});

it('killed at any step, is finished by the next start as if it had not been', async () => {
  await bury('ingest', clockTopic as Topic, NO_OFFSET);
  await begin();
  expect(await letters()).toHaveLength(4);
  await rebuildInPlace(given(after!));
  const undisturbed = await derived();
  expect(undisturbed.told).toHaveLength(2 * Math.floor(MARKS / 2));
  expect(undisturbed.rows).toHaveLength(Math.floor(MARKS / 2));
  // What never came into the log is kept, all other letters can be written again.
  expect(undisturbed.letters).toEqual([`ingest ${NO_OFFSET}`]);

  let step = 1;
  for (let isWhole = false; !isWhole; step += 1) {
    await begin();
    isWhole = await rebuildInPlace(given(after!, killedAt(step))).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Killed)) throw error;
        return false;
      },
    );
    if (step === 1) {
      // Nothing was dropped yet, so nothing is to be finished, and the logic of before goes on.
      expect(await isDropUnfinished(ports.log)).toBe(false);
      continue;
    }
    await start(after!);
    expect(await derived(), `killed at step ${step}`).toEqual(undisturbed);
    expect(await isDropUnfinished(ports.log)).toBe(false);
  }
  expect(step).toBeGreaterThan(projectionsOf(after!).length + TABLES.length);
}, 120_000);

it('is not compared with before it is finished', async () => {
  await expect(rebuildInPlace(given(after!, killedAt(4)))).rejects.toBeInstanceOf(Killed);
  const options = { scratchParent: folder, retentionDays: 30 };
  await expect(verifyAgainstRebuild(given(after!), options)).rejects.toMatchObject({ name: 'ReplayRefusedError' });
  await start(after!);
  expect(await verifyAgainstRebuild(given(after!), options)).toEqual({ differences: [], pending: {} });
});
