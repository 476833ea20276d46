/**
 * Storms of reconnections, kills and a rush of reads against a simulator with 700 markets that enforces the limits of
 * venue_a. The simulator runs in this process, so that what it counted and sent survives the kills.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalDecimal } from '#schemas/domain/decimal';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import { partitionOf } from '#schemas/topics/topic';
import { type Simulator, startSimulator } from '../../simulator/start-simulator.ts';
import { createMarkets } from '../../simulator/venues/venue-a/market.ts';
import { tradeText } from '../../simulator/venues/venue-a/market-text.ts';
import { createWorld } from '../../simulator/world/world.ts';
import { keyOfId, type RecordedTrades, readRecordedTrades } from './recorded-trades.ts';
import { expectStatus, sendRequest } from './rest-client.ts';
import { keyOf, recordSentTrades, type TradeKey, type TradeMessage } from './sent-trades.ts';
import { eventually, type Service, type ServiceOptions, startService, temporaryFolder, untilIdle } from './service.ts';
import { organization } from './tenants.ts';
import { upstreams } from './upstreams.ts';

/** The minute over which both sides count: longer than a restart, so that a process must know what its predecessor spent. */
const MINUTE_MS = 10_000;
/**
 * In each round two storms and two kills. The second of each happens while markets are being subscribed.
 * `PARALLAX_STORM_ROUNDS=5` makes ten of each.
 */
const ROUNDS = Number(process.env.PARALLAX_STORM_ROUNDS ?? 3);
/** How long each storm refuses new connections, ms. */
const REFUSALS_MS = [0, 1_500, 400, 150, 800] as const;
const WORLD = { seed: 7, rate: 100, events: 3, coins: 700 };
/** Every market is subscribed again within this time: a minute of the venue (contract), and the rest for a busy machine. */
const RECOVERY_MS = MINUTE_MS + 15_000;
/** For everything else, on a busy machine. */
const WAIT_MS = 180_000;
/** Readers that put the weight under pressure during storms and kills. */
const READERS = 10;
/** Concurrent reads of the organization in a rush: as many as may wait. */
const RUSH = 100;
const SINGLE_READS = 6;
/** A rush delays the single read of another organization by less than this. */
const DELAY_MAX_MS = 2_000;
/**
 * What a busy machine may add to that: the rush itself takes processor time of the one machine on which all processes run.
 * Without turns and the spare weight the delay is most of the venue's minute.
 */
const BUSY_MACHINE_MS = 3_000;
/** More reads than the venue allows within its minute, at 1,200 of weight and 20 each. */
const ANSWERED_MIN = 1_200 / 20;
/** Trades of a coin that the venue replays. */
const REPLAYED = 10;
/** Accepted limits of a read of trades. */
const LIMITS = 200;

const world = createWorld(WORLD);
const markets = createMarkets(world);
const perps = new Set(world.coins.map(({ symbol }) => symbol));

/** Coins that venue_a lists at a time. */
const listedAt = (atMs: number): string[] =>
  [...markets.listed(atMs), ...markets.outcomes(atMs)].map(({ coin }) => coin);

/** Trades of a coin that venue_a published while it was listed, whether or not anyone was subscribed. */
function publishedTrades(coin: string, fromMs: number, untilMs: number): TradeMessage[] {
  const market = markets.find(coin, fromMs)!;
  const trades = markets.tradesBetween(market, fromMs, untilMs);
  return [...trades].map((trade) => JSON.parse(tradeText(world, coin, trade)) as TradeMessage);
}

/** An address that nothing has read yet. */
let users = 0;
function nextUser(): string {
  users += 1;
  return `0x${users.toString(16).padStart(40, '0')}`;
}
const heavyRead = () => `/v1/venue_a/info/open-orders?user=${nextUser()}`;

describe('a service in storms of reconnections that is killed again and again', { timeout: 900_000 }, () => {
  const folder = temporaryFolder('parallax-storm');
  const sent = recordSentTrades();
  /** Measured times, ms; for the reader. */
  const measured: Record<string, number> = {};
  let simulator: Simulator;
  let service: Service;
  let recorded: RecordedTrades;
  /** The world was simulated up to here when the last connection ended, unix ms. */
  let endedAtMs = 0;
  let hasEnded = false;

  const options = (): ServiceOptions => ({
    dataDir: folder.path,
    flags: ['--venues', 'sim', '--sim-minute-ms', String(MINUTE_MS)],
    env: upstreams(simulator),
  });
  const start = async () => {
    const startedAt = performance.now();
    service = await startService(options());
    report('start', performance.now() - startedAt);
  };
  /** Kills the service. Resolves when the venue knows that its connections are gone. */
  const kill = async () => {
    await service.kill();
    await eventually(
      async () => sent.subscriptions().size,
      (size) => size === 0,
    );
  };
  /** Starts the service, and kills it when half of the markets are subscribed: in general before it is ready. */
  const startAndKill = async () => {
    let child: ChildProcess | null = null;
    const onSpawn = (process: ChildProcess) => {
      child = process;
    };
    const starting = startService({ ...options(), onSpawn }).catch(() => null);
    await untilSubscribed(0.5);
    child!.kill('SIGKILL');
    service = (await starting) ?? service;
    await kill();
  };
  const storm = async (refusalMs: number) => {
    await simulator.faults.refuse('venue_a.ws', refusalMs);
    await simulator.faults.disconnectAll('venue_a.ws');
  };
  /** Resolves when at most this share of the listed markets is not subscribed. */
  const untilSubscribed = (missingShare: number, timeoutMs = WAIT_MS) =>
    eventually(
      async () => {
        const subscriptions = sent.subscriptions();
        const listed = listedAt(Date.now());
        return listed.filter((coin) => !subscriptions.has(`trades ${coin}`)).length / listed.length;
      },
      (missing) => missing <= missingShare,
      timeoutMs,
    );
  /** Resolves when what was sent up to now is stored: the newest trade of a perpetual in each partition. */
  const untilStored = async () => {
    const newest = new Map<number, TradeMessage>();
    for (const { trades } of sent.connections)
      for (const trade of trades.values()) {
        const partition = partitionOf(trade.coin, tradeTopics.venue_a.partitions);
        if (perps.has(trade.coin) && trade.time > (newest.get(partition)?.time ?? 0)) newest.set(partition, trade);
      }
    expect(newest.size).toBe(tradeTopics.venue_a.partitions);
    for (const { coin, time } of newest.values()) {
      let reads = 0;
      await eventually(
        async () => {
          // Each limit has a cached response of its own.
          reads += 1;
          const path = `/v1/markets/venue_a/coins/${coin}/trades?limit=${1 + (reads % LIMITS)}`;
          return ((await sendRequest(service, 'GET', path)).body.trades as { ts: number }[])[0]?.ts ?? 0;
        },
        (ts) => ts >= time,
        WAIT_MS,
      );
    }
  };
  /** Requests the book of a coin that is not followed otherwise. Reports how long it was not subscribed. */
  const requestBook = async (coin: string) => {
    const since = performance.now();
    // The read itself waits for weight behind the other reads of its organization; the subscription does not.
    const reading = sendRequest(service, 'GET', `/v1/markets/venue_a/coins/${coin}/orderbook`);
    await eventually(
      async () => sent.subscriptions().has(`l2Book ${coin}`),
      (isSubscribed) => isSubscribed,
    );
    report('requested book subscribed', performance.now() - since);
    await reading;
    report('requested book read', performance.now() - since);
  };
  const report = (what: string, ms: number) => {
    measured[what] = Math.max(measured[what] ?? 0, Math.round(ms));
  };

  beforeAll(async () => {
    simulator = await startSimulator({
      ...WORLD,
      faults: [],
      traders: 10,
      minuteMs: MINUTE_MS,
      observer: sent.observer,
    });
    await start();
  }, 180_000);
  afterAll(async () => {
    await service?.kill();
    if (!hasEnded) await simulator?.close();
    folder.remove();
    console.log(`storms: ${JSON.stringify(measured)}`);
  });

  it('subscribes to every market again after storms and kills', async () => {
    expect(listedAt(Date.now()).length).toBeGreaterThan(700);
    let isOver = false;
    const readers = Array.from({ length: READERS }, async () => {
      // Reads fail while the service is dead.
      while (!isOver) await sendRequest(service, 'GET', heavyRead()).catch(() => sleep(100));
    });
    for (let round = 0; round < ROUNDS; round += 1) {
      await untilSubscribed(0);
      await storm(REFUSALS_MS[round]!);
      await untilSubscribed(0.5);
      const stormAt = performance.now();
      await storm(REFUSALS_MS[ROUNDS - 1 - round]!);
      await untilSubscribed(0, RECOVERY_MS);
      report('all subscribed after a storm', performance.now() - stormAt);
      await requestBook(world.coins.at(-1 - round)!.symbol);
      await untilStored();
      await kill();
      // Once for so long that the venue does not replay all that was missed.
      const killedAtMs = Date.now();
      if (round === 0)
        await eventually(
          async () => publishedTrades('BTC', killedAtMs, Date.now()).length,
          (trades) => trades > REPLAYED,
          WAIT_MS,
        );
      await startAndKill();
      await start();
    }
    await untilSubscribed(0);
    isOver = true;
    await Promise.all(readers);
  });

  it('answers a single read of another organization at once during a rush', async () => {
    const nodes = { apis: [service, service, service] as const };
    const rushing = await organization(nodes, 'Rushing');
    const [single, earlier] = [await organization(nodes, 'Single'), await organization(nodes, 'Earlier')];
    const statuses = new Map<number, number>();
    let isOver = false;
    const timeOfRead = async ({ token }: typeof single) => {
      const since = performance.now();
      await expectStatus(200, service, 'GET', heavyRead(), { token });
      return performance.now() - since;
    };
    // Such reads while nobody else reads, of which the fastest shows what the read itself takes.
    const quiet: number[] = [];
    for (let nth = 1; nth <= SINGLE_READS; nth += 1) quiet.push(await timeOfRead(earlier));
    const rush = Array.from({ length: RUSH }, async () => {
      while (!isOver) {
        const { status } = await sendRequest(service, 'GET', heavyRead(), { token: rushing.token });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    const inRush: number[] = [];
    try {
      // Over more than a minute of the venue, in which the rush has used up its weight most of the time.
      for (let nth = 1; nth <= SINGLE_READS; nth += 1) {
        await sleep(MINUTE_MS / 4);
        inRush.push(await timeOfRead(single));
      }
    } finally {
      isOver = true;
      await Promise.allSettled(rush);
    }
    const delayMs = Math.max(...inRush) - Math.min(...quiet);
    report('single read without a rush', Math.min(...quiet));
    report('delay of a single read during a rush', delayMs);
    report('reads of the rush', statuses.get(200) ?? 0);
    expect(statuses.get(200)).toBeGreaterThan(ANSWERED_MIN);
    // No weight was left for the rush.
    expect(statuses.get(429)).toBeGreaterThan(0);
    expect(delayMs).toBeLessThan(DELAY_MAX_MS + BUSY_MACHINE_MS);
  });

  it('never exceeds a limit, as the venue counts it', async () => {
    const { limitsExceeded, faults } = await simulator.stats();
    expect(new Set(Object.values(limitsExceeded))).toEqual(new Set([0]));
    expect(faults.disconnects).toEqual({ 'venue_a.ws': 2 * ROUNDS });
  });

  it('loses and duplicates no trade of a subscribed market', async () => {
    await untilSubscribed(0);
    await simulator.faults.refuse('venue_a.ws', 60_000);
    await simulator.faults.disconnectAll('venue_a.ws');
    endedAtMs = (await simulator.stats()).simulatedUntilMs;
    await simulator.close();
    hasEnded = true;
    await untilStored();
    await untilIdle(service, WAIT_MS);
    await service.stop();
    recorded = await readRecordedTrades(folder.path);
    const byKey = new Map(recorded.published.map((trade) => [keyOfId(trade.id), trade]));

    // Each once, in the topic and in the table.
    expect(recorded.published.length).toBe(byKey.size);
    expect([...byKey.keys()].filter((key) => recorded.rows.get(key) !== 1)).toEqual([]);
    expect(recorded.rows.size).toBe(byKey.size);
    // Everything that arrived.
    expect([...recorded.received].filter((key) => !byKey.has(key))).toEqual([]);
    // Everything that was sent over connections which the venue ended, live or as a replay.
    const complete = sent.connections.filter(({ state }) => state === 'complete');
    expect(complete.length).toBeGreaterThan(2 * ROUNDS);
    expect(complete.flatMap(({ trades }) => [...trades.keys()].filter((key) => !byKey.has(key)))).toEqual([]);
  });

  it('reports a gap wherever it did not receive a trade that the venue published, and nowhere else', () => {
    const byCoin = new Map<string, Trade[]>();
    for (const trade of recorded.published)
      byCoin.set(trade.instrument, [...(byCoin.get(trade.instrument) ?? []), trade]);
    const unreported: TradeKey[] = [];
    const wrong: TradeKey[] = [];
    let missing = 0;
    for (const [coin, trades] of byCoin) {
      const known = new Map(trades.map((trade) => [keyOfId(trade.id), trade]));
      const gaps = recorded.gaps.get(coin) ?? [];
      for (const trade of publishedTrades(coin, Math.min(...trades.map(({ ts }) => ts)), endedAtMs)) {
        const key = keyOf(trade);
        const row = known.get(key);
        const inGap = ({ from, until }: (typeof gaps)[number]) =>
          from <= trade.time && trade.time <= (until ?? Number.POSITIVE_INFINITY);
        if (!row) missing += 1;
        if (!row && !gaps.some(inGap)) unreported.push(key);
        if (row && !equals(row, trade)) wrong.push(key);
        known.delete(key);
      }
      // Trades that the venue never published.
      wrong.push(...known.keys());
      // A closed gap lies between two recorded trades that follow each other.
      const times = trades.map(({ ts }) => ts);
      for (const { from, until } of gaps)
        if (until !== null && times.some((ts) => from < ts && ts < until)) wrong.push(`gap ${coin} ${from} ${until}`);
    }
    measured['trades recorded'] = recorded.published.length;
    measured['trades in gaps'] = missing;
    expect([unreported, wrong]).toEqual([[], []]);
    // The storms and kills were long enough for gaps.
    expect(missing).toBeGreaterThan(0);
  });
});

function equals(row: Trade, { px, sz, side, time, tid }: TradeMessage): boolean {
  const expected = [canonicalDecimal(px), canonicalDecimal(sz), side === 'B' ? 'buy' : 'sell', time, String(tid)];
  const actual = [canonicalDecimal(row.price), canonicalDecimal(row.qty), row.side, row.ts, row.tradeId];
  return JSON.stringify(actual) === JSON.stringify(expected);
}
