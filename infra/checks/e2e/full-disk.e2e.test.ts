/** A service whose disk is full: it takes nothing in, keeps everything it had, and goes on when there is room. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { mountSmallDisk } from '../../testing/small-disk.ts';
import { runCommand } from './command.ts';
import { type RawRecords, readRaw } from './raw-records.ts';
import { eventually, get, getHealth, getMetric, type Service, startService } from './service.ts';
import { openStream, type StreamClient } from './stream-client.ts';

const MEBIBYTE = 2 ** 20;
const DISK_BYTES = 300 * MEBIBYTE;
/** Less than the 64 MiB that the log leaves for deletions. */
const BELOW_RESERVE_BYTES = 40 * MEBIBYTE;
const FLAGS = ['--venues', 'sim', '--sim-rate', '400', '--sim-events', '8', '--sim-coins', '12'];
const NO_ROOM = /no room on the disk/;
/** A closing of everything, as the system's supervisors allow it. */
const STOP_MS = 15_000;
/** The longest pause between two attempts, and some for a busy machine. */
const GOES_ON_MS = 20_000;
/** Retention, when it failed, is tried again at its next interval of 60 s. */
const HEALTHY_AGAIN_MS = 75_000;
/** On a full disk the log goes on in the free pages of its own file, at the pace of what comes in, until they are used up. */
const USED_UP_MS = 120_000;

/** The coin with the fewest trades: its last 200 reach back over a minute. */
const RARE_COIN = 'ZEC';

const channel = 'svc:stream:trade:venue_b';
const disk = mountSmallDisk('parallax-full', DISK_BYTES);
const title = disk ? 'a full disk' : 'a full disk (skipped: mounting a small file system needs Linux and root)';

interface CoinTrades {
  /** Newest first. */
  readonly trades: readonly { readonly ts: number }[];
}

describe.skipIf(!disk)(title, () => {
  const dataDir = `${disk?.path}/data`;
  let service: Service;
  let stream: StreamClient;
  /** What the log had acknowledged, as it was read last. */
  let kept: RawRecords = new Map();
  let seen: CoinTrades;

  const start = async () => {
    service = await startService({ dataDir, flags: FLAGS });
    stream = await openStream(service);
  };
  const told = () => stream.events(channel).map(({ seq }) => seq);
  const moreThan = (events: number) =>
    eventually(
      async () => told().length,
      (count) => count > events,
      GOES_ON_MS,
    );
  const trades = () => get<CoinTrades>(service, `/v1/markets/venue_a/coins/${RARE_COIN}/trades?limit=200`);

  /** Everything that the log had when it was read before is there unchanged; remembers what is there now. */
  async function expectKept(): Promise<void> {
    const now = await readRaw(dataDir);
    for (const [partition, records] of kept) expect(now.get(partition)?.slice(0, records.length)).toEqual(records);
    kept = now;
  }

  const countOf = (records: RawRecords) => [...records.values()].reduce((sum, { length }) => sum + length, 0);

  /** Waits until ingest says that the disk is full and nothing more is taken in. */
  async function expectStandstill(): Promise<void> {
    await eventually(
      () => getHealth(service),
      ({ status, parts }) => status === 'degraded' && NO_ROOM.test(parts.ingest!),
    );
    const taken = () => getMetric(service, 'parallax_ingested_total');
    let before = Number.NaN;
    await eventually(
      async () => {
        const now = await taken();
        const same = now === before;
        before = now;
        if (!same) await sleep(2_000);
        return same;
      },
      (same) => same,
      USED_UP_MS,
    );
  }

  async function expectAnswers(): Promise<void> {
    const paths = ['coins', 'coins/BTC', 'coins/BTC/orderbook', 'coins/BTC/trades', 'coins/BTC/candles'];
    for (const path of paths) await get(service, `/v1/markets/venue_a/${path}`);
    const { events } = await get<{ events: { universalId: string }[] }>(service, '/v1/events');
    expect(events.length).toBeGreaterThan(0);
    await get(service, `/v1/events/${events[0]!.universalId}/trades`);
    expect(service.process.exitCode).toBeNull();
  }

  afterAll(async () => {
    if (service?.process.exitCode === null) await service.kill();
    disk!.remove();
  });

  it('takes nothing in, says so, answers, and keeps what it had', async () => {
    await start();
    await stream.subscribe(channel);
    await moreThan(50);
    seen = await eventually(trades, (answer) => answer.trades.length > 10);
    disk!.fill(BELOW_RESERVE_BYTES);
    await expectStandstill();
    await expectAnswers();
    await expectKept();
    expect(countOf(kept)).toBeGreaterThan(1_000);

    // The rest too, for whatever else writes: nothing gets to the last byte but this.
    disk!.fill(0);
    await sleep(3_000);
    expect(disk!.freeBytes()).toBeLessThan(MEBIBYTE);
    await expectStandstill();
    await expectAnswers();
    await expectKept();
    // The newest that was taken in: at this rate the last 200 do not reach back to the beginning.
    seen = await trades();
  }, 360_000);

  it('goes on when there is room, with nothing missing', async () => {
    const before = told().length;
    disk!.clear();
    await eventually(
      () => getHealth(service),
      ({ parts }) => Object.entries(parts).every(([part, state]) => state === 'ready' || part === 'retention'),
      GOES_ON_MS,
    );
    await moreThan(before + 50);
    expect(told()).toEqual(told().map((_, nth) => told()[0]! + nth));
    const { trades: newest } = await eventually(trades, ({ trades: [first] }) => first!.ts > seen.trades[0]!.ts);
    const reached = seen.trades.filter(({ ts }) => ts > newest.at(-1)!.ts);
    expect(reached.length).toBeGreaterThan(0);
    for (const trade of reached) expect(newest).toContainEqual(trade);
    await eventually(
      () => getHealth(service),
      ({ status }) => status === 'ok',
      HEALTHY_AGAIN_MS,
    );
    await expectKept();
  }, 120_000);

  it('ends by itself on a full disk, and the next start has everything', async () => {
    disk!.fill(0);
    await expectStandstill();
    await expectKept();
    const [last] = stream.events(channel).slice(-1);
    const began = Date.now();
    // 1 says that what was received last, and never acknowledged, could not be written any more.
    expect([0, 1]).toContain(await service.stop('SIGINT'));
    expect(Date.now() - began).toBeLessThan(STOP_MS);
    disk!.clear();
    await expectKept();

    await start();
    await stream.subscribe(channel, last!.cursor);
    await moreThan(50);
    expect(told()).toEqual(told().map((_, nth) => last!.seq + 1 + nth));
    await stream.close();
    expect(await service.stop()).toBe(0);
    await expectKept();
    const verified = await runCommand('replay', ['--data-dir', dataDir, '--verify', '--json']);
    // What came in last may be pending: the venues go on until the stop.
    expect(JSON.parse(verified.out)).toMatchObject({ differences: [] });
    expect(verified.code).toBe(0);
  }, 180_000);
});
