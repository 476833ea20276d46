import { appendFile, mkdir, mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logFull, MemoryLog } from '../../../testing/memory-log.fixture.ts';
import { openTestPublisher, silentLogger, until } from '../../../testing/open-publisher.fixture.ts';
import { followFills } from './follow-fills.ts';

const INTERVALS = { pollMs: 5, retryMs: 5, hourQuietMs: 20, lineQuietMs: 20 };
const START = Date.parse('2026-06-28T08:30:00Z');
const HOUR_8 = 'node_fills_by_block/hourly/20260628/8';
const HOUR_9 = 'node_fills_by_block/hourly/20260628/9';

const closing: (() => Promise<unknown>)[] = [];
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plx-fills-'));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await rm(folder, { recursive: true });
});

const write = async (file: string, text: string) => {
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true });
  await appendFile(path, text);
};

/** Starts a service that follows the folder. `stop` ends it like a kill: nothing further is stored. */
async function follow(log = new MemoryLog(), intervals: Partial<typeof INTERVALS> = {}) {
  const test = await openTestPublisher({ log });
  const running = await followFills({
    ...test,
    folder,
    logger: silentLogger,
    intervals: { ...INTERVALS, ...intervals } as never,
    now: () => START,
  });
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await running.close();
    await test.publisher.close();
  };
  closing.push(stop);
  return { ...test, log, stop, lines: () => test.payloads('venue_a', 'node_fills') };
}

describe('followFills', () => {
  it('publishes the lines of this hour from the start of its file, each with the position after it', async () => {
    await write('node_fills_by_block/hourly/20260628/7', 'old\n');
    await write(HOUR_8, 'a\nbb\n');
    const { lines, raw } = await follow();
    await until(() => lines().length === 2);
    await write(HOUR_8, 'ccc\n');
    await until(() => lines().length === 3);
    expect(lines()).toEqual(['a', 'bb', 'ccc']);
    expect(raw('venue_a', 'node_fills').map(({ request, key }) => `${key} ${request}`)).toEqual([
      `venue_a.node_fills ${HOUR_8}@2`,
      `venue_a.node_fills ${HOUR_8}@5`,
      `venue_a.node_fills ${HOUR_8}@9`,
    ]);
  });

  it('publishes a line when it is complete', async () => {
    await write(HOUR_8, 'a\nb');
    const { lines } = await follow();
    await until(() => lines().length === 1);
    await write(HOUR_8, 'b');
    await write(HOUR_8, 'b\n');
    await until(() => lines().length === 2);
    expect(lines()).toEqual(['a', 'bbb']);
  });

  it('goes on with the hours that follow, also with those that came while it was stopped', async () => {
    await write(HOUR_8, 'a\n');
    const first = await follow();
    await until(() => first.lines().length === 1);
    await write(HOUR_9, 'b\n');
    await until(() => first.lines().length === 2);
    await first.stop();
    await write(HOUR_9, 'c\n');
    await write('node_fills_by_block/hourly/20260628/10', 'd\n');
    await write('node_fills_by_block/hourly/20260629/0', 'e\n');
    const second = await follow(first.log);
    await until(() => second.lines().length === 5);
    expect(second.lines()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('reads the rest of an hour before the next one', async () => {
    await write(HOUR_8, 'a\n');
    const { lines } = await follow(new MemoryLog(), { hourQuietMs: 300_000 });
    await until(() => lines().length === 1);
    await write(HOUR_9, 'c\n');
    await write(HOUR_8, 'b\n');
    await until(() => lines().length === 2);
    expect(lines()).toEqual(['a', 'b']);
  });

  it('publishes an incomplete line at the end of an hour as it is, after a while', async () => {
    await write(HOUR_8, 'a\nhalf');
    await write(HOUR_9, 'b\n');
    const { lines } = await follow();
    await until(() => lines().length === 3);
    expect(lines()).toEqual(['a', 'half', 'b']);
  });

  it('waits longer for the rest of a line than for a further one', async () => {
    await write(HOUR_8, 'a\nha');
    await write(HOUR_9, 'b\n');
    const { lines } = await follow(new MemoryLog(), { lineQuietMs: 300_000 });
    await until(() => lines().length === 1);
    await write(HOUR_8, 'lf\n');
    await until(() => lines().length === 3);
    expect(lines()).toEqual(['a', 'half', 'b']);
  });

  it('continues after the newest stored line, wherever it was killed', async () => {
    const expected = Array.from({ length: 500 }, (_, nth) => `line ${nth}`);
    await write(HOUR_8, `${expected.slice(0, 300).join('\n')}\n`);
    await write(HOUR_9, `${expected.slice(300).join('\n')}\n`);
    const log = new MemoryLog();
    const stored = () => log.of('raw.venue_a.node_fills');
    for (let kill = 1; kill <= 5; kill += 1) {
      const { stop } = await follow(log);
      await until(() => stored().length >= 60 * kill);
      await stop();
      // What a killed process read but did not store is lost with it.
      log.partitions.set('raw.venue_a.node_fills/0', stored().slice(0, 60 * kill));
    }
    const { lines } = await follow(log);
    await until(() => lines().length >= 500);
    expect(lines()).toEqual(expected);
  });

  it('reads a truncated file again from its start', async () => {
    await write(HOUR_8, 'first\nsecond\n');
    const running = await follow();
    await until(() => running.lines().length === 2);
    await truncate(join(folder, HOUR_8), 0);
    await write(HOUR_8, 'x\n');
    await until(() => running.lines().length === 3);
    expect(running.lines().at(-1)).toBe('x');
    await running.stop();
    await truncate(join(folder, HOUR_8), 0);
    const again = await follow(running.log);
    await write(HOUR_8, 'y\n');
    await until(() => again.lines().length === 4);
    expect(again.lines().at(-1)).toBe('y');
  });

  it('follows files without blocks until there are files with blocks', async () => {
    await write('node_fills/hourly/20260628/8', 'a\n');
    const first = await follow();
    await until(() => first.lines().length === 1);
    await first.stop();
    await write(HOUR_8, 'block 1\nblock 2\n');
    const second = await follow(first.log);
    await until(() => second.lines().length === 3);
    expect(second.lines()).toEqual(['a', 'block 1', 'block 2']);
  });

  it('changes to files with blocks while it runs', async () => {
    await write('node_fills/hourly/20260628/8', 'a\n');
    const { lines } = await follow();
    await until(() => lines().length === 1);
    await write(HOUR_8, 'block 1\n');
    await until(() => lines().length === 2);
    await write('node_fills/hourly/20260628/8', 'b\n');
    await write(HOUR_8, 'block 2\n');
    await until(() => lines().length === 3);
    expect(lines()).toEqual(['a', 'block 1', 'block 2']);
  });

  it('waits for a node that has written nothing yet', async () => {
    const { lines } = await follow();
    await write(HOUR_9, 'a\n');
    await until(() => lines().length === 1);
  });

  it('loses nothing while the log accepts nothing', async () => {
    await write(HOUR_8, 'a\n');
    const log = new MemoryLog();
    log.fault = logFull();
    const { lines } = await follow(log);
    await until(() => log.refused > 0);
    await write(HOUR_8, 'b\n');
    log.fault = null;
    await until(() => lines().length === 2);
    expect(lines()).toEqual(['a', 'b']);
  });
});
