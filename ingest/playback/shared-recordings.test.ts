/** Plays the recordings beside the project through the real log. Skipped if they are missing. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { INGEST_TOPICS } from '../publisher/ingest-topics.ts';
import { openPublisher } from '../publisher/open-publisher.ts';
import { silentLogger } from '../testing/open-publisher.fixture.ts';
import { openTestRole, type TestRole, testFolder } from '../testing/role-context.fixture.ts';
import { playRecording } from './play-recording.ts';

const SHARED = resolve(process.env.PARALLAX_SHARED ?? '../shared', 'recordings');
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function openRole(): Promise<TestRole> {
  const { folder, remove } = await testFolder();
  const role = await openTestRole(folder, {});
  closing.push(remove, () => role.close());
  return role;
}

/** Plays into the role's log; the process fails after `appends` appends. */
async function play(role: TestRole, name: string, appends = Number.POSITIVE_INFINITY): Promise<void> {
  let left = appends;
  const abort = new AbortController();
  const log = Object.create(role.context.log) as typeof role.context.log;
  log.append = async (records) => {
    left -= 1;
    if (left >= 0) return role.context.log.append(records);
    abort.abort();
    throw new Error('failed');
  };
  const ignore = () => {};
  const publisher = await openPublisher({
    ...role.context,
    log,
    time: 'recorded',
    onLogStatus: ignore,
    onFailure: ignore,
  });
  const folder = join(SHARED, name);
  const played = playRecording({ folder, publisher, logger: silentLogger, speed: 0, signal: abort.signal });
  if (appends === Number.POSITIVE_INFINITY) {
    await played;
    await publisher.close();
  } else await played.catch(ignore);
}

/** Contents of the log, one line for each record, without the times of appending. */
async function contents(role: TestRole): Promise<string[]> {
  const lines: string[] = [];
  for (const topic of INGEST_TOPICS)
    for (const { partition, offset, seq, receivedAt, key, value } of await role.records(topic as never))
      lines.push([topic.name, partition, offset, seq, receivedAt, key, value?.toString('base64')].join(' '));
  return lines;
}

describe.skipIf(!existsSync(SHARED))(`recordings in ${SHARED} (set PARALLAX_SHARED if they are elsewhere)`, () => {
  it('stores every frame and answer of venue_a-eth-2025-12-10', async () => {
    const role = await openRole();
    await play(role, 'venue_a-eth-2025-12-10');
    const frames = (await role.raw('venue_a', 'ws')).map(({ payload }) => JSON.parse(payload.toString()));
    const count = (channel: string) => frames.filter((frame) => frame.channel === channel).length;
    expect([count('trades'), count('bbo'), count('l2Book'), frames.length]).toEqual([1_834, 2_736, 120, 4_690]);
    const trades = frames.filter((frame) => frame.channel === 'trades').flatMap((frame) => frame.data);
    expect(trades).toHaveLength(6_385);
    expect(trades.filter((trade) => trade.side === 'B')).toHaveLength(4_062);
    expect(await role.raw('venue_a', 'info')).toHaveLength(11);
  });

  it('stores the chain of venue_b-2026 in its order, each log after its block', async () => {
    const role = await openRole();
    await play(role, 'venue_b-2026');
    const payloads = (await role.raw('venue_b', 'rpc')).map(({ payload }) => JSON.parse(payload.toString()));
    expect(payloads.filter((payload) => 'block' in payload)).toHaveLength(507);
    expect(payloads.filter((payload) => 'log' in payload)).toHaveLength(1_552);
    let block = '';
    for (const payload of payloads) {
      if ('block' in payload) block = payload.block.hash;
      else expect(payload.log.blockHash).toBe(block);
    }
    expect(await role.raw('venue_b', 'clob_ws')).toHaveLength(16);
    const answers = (await role.raw('venue_b', 'gamma')).length + (await role.raw('venue_b', 'clob')).length;
    expect(answers).toBe(136);
  });

  it('stores the frames of venue_b-mlb-2025-06-19 as they were received', async () => {
    const role = await openRole();
    await play(role, 'venue_b-mlb-2025-06-19');
    const frames = await role.raw('venue_b', 'clob_ws');
    const kinds = frames.map(({ payload }) => JSON.parse(payload.toString()).event_type);
    expect(kinds.filter((kind) => kind === 'book')).toHaveLength(14);
    expect(kinds.filter((kind) => kind === 'price_change')).toHaveLength(2_642);
    for (const { payload, receivedAt } of frames)
      expect(Number(JSON.parse(payload.toString()).timestamp)).toBe(receivedAt);
  });

  it('produces the same log if it fails between appends and continues', async () => {
    const complete = await openRole();
    await play(complete, 'venue_b-2026');
    const expected = await contents(complete);
    const interrupted = await openRole();
    for (const appends of [1, 2, 1, 1]) await play(interrupted, 'venue_b-2026', appends);
    await play(interrupted, 'venue_b-2026');
    expect((await contents(interrupted)).join('\n') === expected.join('\n')).toBe(true);
  });
});
