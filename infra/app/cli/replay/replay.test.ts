/** Rebuilds in place and verifies, before and after retention has removed the oldest raw records. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runSinkOnce } from '#processors/sink/run-sink-once';
import { TABLES } from '#schemas/tables/index';
import { SINK_GROUP } from '#schemas/tables/sink-group';
import { TOPICS } from '#schemas/topics/catalog';
import { type ClockMark, clockTopic, stateTopic } from '#schemas/topics/control';
import { type Reconcile, reconcileTopic, type Spread, spreadHeadTopic, spreadTopic } from '#schemas/topics/derived';
import { partitionOf } from '#schemas/topics/topic';
import { usageTopic } from '#schemas/topics/usage';
import { loadSettings } from '../../../config/settings.ts';
import { runStage } from '../../../stages/run-stage.ts';
import { on, onKeyed, type Stage } from '../../../stages/stage.ts';
import { dailyCheckpointTopic } from '../../../stages/stage-topics.ts';
import { createMetrics } from '../../../telemetry/metrics.ts';
import { openPorts, type Ports } from '../ports.ts';
import { overlayLog } from './overlay-log.ts';
import { rebuildInPlace } from './rebuild-in-place.ts';
import { verifyAgainstRebuild } from './verify.ts';

const DAY = 86_400_000;
const FIRST = Date.UTC(2026, 0, 15, 12);
const STEP = DAY / 4;

interface Count {
  seen: number;
}
const counter: Stage<Count> = {
  name: 'counter',
  inputs: [
    on<Count, ClockMark>(clockTopic, (state, { receivedAt }, emit) => {
      state.seen += 1;
      emit<Reconcile>(reconcileTopic, 'latest', { receivedAt, ingested: state.seen });
    }),
  ],
  outputs: [reconcileTopic],
  initialState: () => ({ seen: 0 }),
};
/** Sums up what `counter` emits. */
const adder: Stage<Count> = {
  name: 'adder',
  inputs: [
    onKeyed<Count, Reconcile>(reconcileTopic, (state, { receivedAt, value }, emit) => {
      if (!value) return;
      state.seen += value.ingested;
      const spread = {
        universalId: `evt_${state.seen}`,
        receivedAt,
        legs: [],
        causeProvider: null,
        causeMarketId: null,
      };
      emit<Spread>(spreadTopic, spread.universalId, spread);
      emit<Spread>(spreadHeadTopic, `evt_${value.ingested % 7}`, spread);
      // The head of this key stays, though it is emitted only once.
      if (value.ingested === 1) emit<Spread>(spreadHeadTopic, 'evt_old', spread);
    }),
  ],
  outputs: [spreadTopic, spreadHeadTopic],
  initialState: () => ({ seen: 0 }),
};
const stages = [counter, adder] as unknown as readonly Stage<unknown>[];

let folder: string;
let ports: Ports;
let seq = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parallax-replay-'));
  ports = await openPorts({ ...loadSettings([], {}), dataDir: folder });
});
afterAll(async () => {
  await ports.close();
  rmSync(folder, { recursive: true, force: true });
});

const logger = pino({ level: 'silent' });
const replay = () => ({ ...ports, ports, stages, logger, metrics: createMetrics(), bars: false });
const verify = () => verifyAgainstRebuild(replay(), { scratchDir: join(folder, 'verify'), retentionDays: 30 });
const found = async () => (await verify()).differences.map(({ table, topic, key }) => [table ?? topic, key]);
const NOTHING = { differences: [], pending: {} };

/** Appends marks of the clock, six hours apart, and runs the stages over them. */
async function processMarks(marks: number) {
  const { log, codec } = ports;
  for (let mark = 0; mark < marks; mark += 1) {
    const receivedAt = FIRST + seq * STEP;
    seq += 1;
    const value = codec.encode(clockTopic, { receivedAt, tick: true, hour: true, day: false });
    await log.append([{ topic: clockTopic.name, partition: 0, key: 'clock', value, receivedAt, seq }]);
  }
  for (const stage of stages) {
    const running = await runStage({ stage, log, codec, logger, metrics: createMetrics(), mode: 'rebuild' });
    await running.stopped;
  }
  await runSinkOnce(replay());
}
/** Inserts a spread that no stage derived. */
async function insertSpread(universalId: string, receivedAt: number) {
  const at = new Date(receivedAt).toISOString().replace('T', ' ').replace('Z', '');
  await ports.store.command(
    `INSERT INTO spreads SELECT * REPLACE ('${universalId}' AS universalId, toDateTime64('${at}', 3, 'UTC') AS receivedAt) FROM spreads FINAL LIMIT 1`,
  );
}
/** Adds a usage row whose record is stored, and one whose record was compacted away. No stage derives either. */
async function recordUsage() {
  const { log, codec, store } = ports;
  const usage = { node: 'n', orgId: 'o', sku: 'api.request', minute: FIRST, minuteUnits: 1, day: FIRST, dayUnits: 1 };
  const value = codec.encode(usageTopic, usage as never);
  await log.append([
    { topic: usageTopic.name, partition: 0, key: 'n o api.request', value, receivedAt: FIRST, seq: 0 },
  ]);
  await store.command("INSERT INTO usage (orgId, sku, node, units, version) VALUES ('o', 'api.request', 'gone', 7, 1)");
}
const usageNodes = async () =>
  (await ports.store.query<{ node: string }>('SELECT node FROM usage FINAL ORDER BY node')).map(({ node }) => node);
const countRows = async () =>
  Number((await ports.store.query<{ n: string }>('SELECT count() AS n FROM spreads FINAL'))[0]!.n);

/** Bounds of the live log, offsets that the sink committed, and counts of row versions. */
async function liveState() {
  const { log, store } = ports;
  const partitions = [...TOPICS, ...stages.map(({ name }) => stateTopic(name))].flatMap(
    ({ name: topic, partitions: count }) => Array.from({ length: count }, (_, partition) => ({ topic, partition })),
  );
  const bounds = await Promise.all(partitions.map((at) => log.bounds(at)));
  const rows = await Promise.all(TABLES.map(({ name }) => store.query(`SELECT count() AS rows FROM ${name}`)));
  return { bounds, rows, committed: await log.committed(SINK_GROUP, partitions) };
}

describe('with complete raw topics', () => {
  it('verify finds no difference, and a rebuild in place gives the same result', async () => {
    await processMarks(14);
    await recordUsage();
    const before = await liveState();
    // The sink has not processed the usage record yet. The row without a record is ignored.
    // What a killed verification leaves behind does not disturb.
    mkdirSync(join(folder, 'verify', 'left'), { recursive: true });
    expect(await verify()).toEqual({ differences: [], pending: { usage: 1 } });
    expect(await liveState()).toEqual(before);
    expect(await usageNodes()).toEqual(['gone']);
    expect(await countRows()).toBe(14);
    await insertSpread('evt_wrong', FIRST);
    expect(await found()).toEqual([['spreads', expect.stringContaining('evt_wrong')]]);
    await rebuildInPlace(replay(), 'embedded');
    expect(await verify()).toEqual(NOTHING);
    expect(await countRows()).toBe(14);
    expect(await usageNodes()).toEqual(['gone', 'n']);
    expect(existsSync(join(folder, 'verify'))).toBe(false);
  });
});

describe('the overlay log of a verification', () => {
  it.each([
    'control.commands',
    'control.changes',
    'control.usage',
    'control.attempts',
    'control.clock',
    'raw.venue_a.ws',
  ])('rejects writing and clearing %s', async (topic) => {
    const log = overlayLog(ports.log, { append: async () => {}, clearTopic: async () => {} } as never);
    const record = { topic, partition: 0, key: 'k', value: null, receivedAt: 0, seq: 0 };
    await expect(log.append([record])).rejects.toThrow(topic);
    await expect(log.clearTopic(topic)).rejects.toThrow(topic);
  });
});

describe('after retention has removed the oldest raw records', () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  /** The midnight of the oldest mark that is retained. */
  const since = Date.UTC(2026, 0, 19);
  beforeAll(async () => {
    const later = Date.now() + 3_600_000;
    vi.spyOn(Date, 'now').mockReturnValue(later);
    await processMarks(14);
    vi.mocked(Date.now).mockRestore();
    // Removes what was appended an hour ago: the first 14 marks and the records derived from them.
    await ports.log.maintain(later, { rawMaxAgeMs: 1_000, rawMaxBytes: 1e12 });
    expect((await ports.log.bounds({ topic: clockTopic.name, partition: 0 })).first).toBe(14);
  });

  it('verify compares from the oldest midnight since when the raw topics are complete', async () => {
    printed.mockClear();
    expect(await verify()).toEqual(NOTHING);
    expect(printed.mock.calls.flat().join()).toContain(new Date(since).toISOString());
    expect(printed.mock.calls.flat().join()).toContain('14 of control.clock');
  });

  it('verify reports a wrong row since then and ignores older rows', async () => {
    await insertSpread('evt_before', since - 1);
    expect(await verify()).toEqual(NOTHING);
    await insertSpread('evt_since', since);
    expect(await found()).toEqual([['spreads', expect.stringContaining('evt_since')]]);
  });

  it('verify reports a wrong record since then', async () => {
    const { log, codec } = ports;
    const universalId = 'evt_extra';
    const at = { topic: spreadHeadTopic.name, partition: partitionOf(universalId, spreadHeadTopic.partitions) };
    const last = (await log.last(at))!;
    const spread = codec.decode(spreadHeadTopic, last.value!);
    const value = codec.encode(spreadHeadTopic, { ...spread, universalId });
    await log.append([{ ...at, key: universalId, value, receivedAt: last.receivedAt, seq: last.seq + 1 }]);
    expect((await verify()).differences).toContainEqual({
      table: null,
      topic: spreadHeadTopic.name,
      key: `${at.partition}/${universalId}`,
      expected: null,
      actual: expect.stringContaining(universalId),
    });
  });

  it('a rebuild in place is refused before anything is dropped', async () => {
    const rows = await countRows();
    const before = await ports.log.bounds({ topic: spreadTopic.name, partition: 0 });
    await expect(rebuildInPlace(replay(), 'embedded')).rejects.toMatchObject({
      name: 'ReplayRefusedError',
      message: expect.stringMatching(/14 of control\.clock.*--verify/),
    });
    const remote = rebuildInPlace(replay(), 'kafka://broker:9092');
    await expect(remote).rejects.toThrow(/record -- --follow off .* with other values of --log/);
    await expect(remote).rejects.not.toThrow('--data-dir');
    expect(await countRows()).toBe(rows);
    expect(await ports.log.bounds({ topic: spreadTopic.name, partition: 0 })).toEqual(before);
  });

  it('verify is refused if no midnight has a daily checkpoint of every stage', async () => {
    await ports.log.clearTopic(dailyCheckpointTopic(counter.name).name);
    await expect(verify()).rejects.toMatchObject({ name: 'ReplayRefusedError' });
  });
});
