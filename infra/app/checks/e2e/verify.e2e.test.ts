/** Runs a service on a faulty venue: disconnects, duplicates, malformed frames and a chain reorganization. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answers, type Endpoint, openEndpoint } from '#stream-gateway/webhooks/endpoint.fixture';
import type { Verification } from '../../cli/replay/difference.ts';
import { type Simulator, startSimulator } from '../../simulator/start-simulator.ts';
import { createPopulation } from '../../simulator/world/accounts.ts';
import { runCommand } from './command.ts';
import { corruptTables, corruptTopics } from './corrupt.ts';
import { eventually, get, type Service, startService, TEST_TOKEN, temporaryFolder } from './service.ts';
import { openStream } from './stream-client.ts';
import { upstreams } from './upstreams.ts';

const SEED = 5;
const MALFORMED_EACH = 5;
const trades = 'svc:stream:trade:venue_b';
/** Processors depend on this setting, so the replay gets it, too. */
const CONFIRMATIONS = { PARALLAX_VENUE_B_CONFIRMATIONS: '6' };

/** Tables and topics that are filled in this run at any time of day. */
const TABLES_WITH_ROWS = [
  'trades',
  'markets',
  'candle_bars',
  'candle_ranges',
  'events',
  'spreads',
  'audit_log',
  'deliveries',
  'delivery_attempts',
  'account_fills',
  'book_events',
];
const TOPICS_WITH_RECORDS = [
  ...['trades', 'books', 'markets', 'channels'].flatMap((kind) => [
    `derived.${kind}.venue_a`,
    `derived.${kind}.venue_b`,
  ]),
  ...['candles', 'events', 'spreads', 'spread-heads', 'audit', 'deliveries', 'channels.events', 'ledger-events'].map(
    (name) => `derived.${name}`,
  ),
  'derived.account-fills.venue_a',
];
/** A replay does not change them. */
const SOURCE_TABLES = new Set(['usage', 'delivery_attempts']);

interface WalletRows {
  readonly data: readonly { readonly tradeCount: number | null }[];
}
interface VenueFills {
  readonly native: readonly { readonly tid: number }[];
}
interface OwnFills {
  readonly fills: readonly { readonly tradeId: string }[];
}

describe('a service on a faulty venue', () => {
  const folder = temporaryFolder('parallax-verify');
  let simulator: Simulator;
  let service: Service;
  let endpoint: Endpoint;

  let closing: Promise<void> | null = null;
  const closeSimulator = () => {
    closing ??= simulator.close();
    return closing;
  };

  async function verify() {
    const { out, err, code } = await runCommand(
      'replay',
      ['--data-dir', folder.path, '--verify', '--json'],
      CONFIRMATIONS,
    );
    expect(out, err).not.toBe('');
    return { code, ...(JSON.parse(out) as Verification) };
  }
  /** Reads the number of records that stages have not processed yet. */
  async function readRecordLag(): Promise<number> {
    const metrics = await (await fetch(`${service.rest}/metrics`)).text();
    const lags = [...metrics.matchAll(/^parallax_stage_lag_records\{.*\} (\d+)$/gm)];
    expect(lags.length).toBeGreaterThan(0);
    return lags.reduce((sum, [, records]) => sum + Number(records), 0);
  }
  /** Creates a webhook and sends test events, so that there are deliveries, attempts and audit records. */
  async function useWebhooks(): Promise<void> {
    const post = async (path: string, body?: object) => {
      const response = await fetch(`${service.rest}/v1/webhooks${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${TEST_TOKEN}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      expect(response.ok, await response.clone().text()).toBe(true);
      return (await response.json()) as { id: string };
    };
    const subscriptions = [{ eventType: 'broker.trade.executed', version: 1 }];
    const { id } = await post('', { url: endpoint.url, subscriptions });
    for (let sent = 1; sent <= 3; sent += 1) await post(`/${id}/test`);
    await eventually(
      async () => endpoint.received.length,
      (count) => count >= 3,
    );
  }

  /** Binds an account of venue_a, and waits until its whole history is loaded. */
  async function bindAccount(): Promise<void> {
    const address = createPopulation(SEED).accounts[0]!;
    const headers = { authorization: `Bearer ${TEST_TOKEN}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ provider: 'venue_a', address, label: '' });
    const bound = await fetch(`${service.rest}/v1/me/wallets`, { method: 'POST', headers, body });
    expect(bound.status).toBe(201);
    const [wallet] = await eventually(
      async () => (await get<WalletRows>(service, '/v1/me/pnl?groupBy=wallet')).data,
      ([row]) => row!.tradeCount !== null,
    );
    const { native } = await get<VenueFills>(service, `/v1/venue_a/info/user-fills?user=${address}`);
    const { fills } = await get<OwnFills>(service, '/v1/me/fills?limit=500');
    expect(wallet!.tradeCount).toBeGreaterThan(50);
    // The venue may have one more by now.
    const loaded = fills.map(({ tradeId }) => Number(tradeId));
    expect(native.map(({ tid }) => tid).slice(-loaded.length)).toEqual(loaded);
  }

  beforeAll(async () => {
    simulator = await startSimulator({ seed: SEED, rate: 100, events: 8, coins: 12, faults: [] });
    endpoint = await openEndpoint(answers.status(204));
    service = await startService({
      dataDir: folder.path,
      flags: ['--venues', 'live'],
      env: { ...upstreams(simulator), ...CONFIRMATIONS, PARALLAX_WEBHOOK_ALLOW_LOOPBACK: 'on' },
    });
  });
  afterAll(async () => {
    await endpoint.close();
    await closeSimulator();
    folder.remove();
  });

  it('writes dead letters for malformed records, and equals its own replay', async () => {
    await useWebhooks();
    await bindAccount();
    const stream = await openStream(service);
    await stream.subscribe(trades);
    await sleep(4_000);
    simulator.faults.malformed('venue_a.ws', MALFORMED_EACH);
    simulator.faults.malformed('venue_b.clob_ws', MALFORMED_EACH);
    simulator.faults.duplicate('venue_a.ws', 20);
    simulator.faults.duplicate('venue_b.clob_ws', 20);
    await sleep(2_000);
    simulator.faults.disconnectAll('venue_a.ws');
    simulator.faults.disconnectAll('venue_b.clob_ws');
    await sleep(3_000);
    await simulator.faults.reorg(3);
    // The replaced blocks contain fills; each is published again as reverted, on the same channel.
    await eventually(
      async () =>
        stream.events(trades).filter((frame) => (frame.data.payload as { status: string }).status === 'reverted')
          .length,
      (count) => count > 0,
      20_000,
    );
    await sleep(6_000);
    const seqs = stream.events(trades).map((frame) => frame.seq);
    expect(seqs).toEqual(seqs.map((_, index) => seqs[0]! + index));
    await stream.close();
    // Stages must be idle: records that they derive later would mix with the damage below.
    await closeSimulator();
    await eventually(readRecordLag, (count) => count === 0, 30_000);
    expect(await service.stop()).toBe(0);

    // Records that the sink has not read before the stop are pending: only what arrives within a moment.
    const { code, differences, pending } = await verify();
    expect(differences).toEqual([]);
    expect(code).toBe(0);
    for (const [name, count] of Object.entries(pending)) expect(count, name).toBeLessThan(2_000);

    const listed = await runCommand('dead-letters', ['--data-dir', folder.path, '--json']);
    const deadLetters = (JSON.parse(listed.out) as { deadLetters: { topic: string; reason: string; detail: string }[] })
      .deadLetters;
    const of = (topic: string) => deadLetters.filter((deadLetter) => deadLetter.topic === topic);
    expect(of('raw.venue_a.ws')).toHaveLength(MALFORMED_EACH);
    expect(of('raw.venue_b.clob_ws')).toHaveLength(MALFORMED_EACH);
    for (const { reason } of deadLetters) expect(reason).toMatch(/^malformed_/);
  }, 120_000);

  it('reports every row and record that was removed, altered or added by hand, and nothing else', async () => {
    const damages = [...(await corruptTables(folder.path)), ...(await corruptTopics(folder.path))];
    const touched = new Set(damages.map((damage) => damage.split(' ')[1]));
    for (const name of [...TABLES_WITH_ROWS, ...TOPICS_WITH_RECORDS]) expect(touched, name).toContain(name);

    const { code, differences } = await verify();
    const found = differences.map(({ table, topic, key, expected, actual }) => {
      const kind = expected === null ? 'added' : actual === null ? 'removed' : 'altered';
      return `${kind} ${table ?? topic} ${key}`;
    });
    expect(found.sort()).toEqual(damages.sort());
    expect(code).toBe(1);
    // A verification changes nothing, so it reports the same again. A rebuild repairs everything that can be derived.
    expect((await verify()).differences).toHaveLength(damages.length);
    expect((await runCommand('replay', ['--data-dir', folder.path], CONFIRMATIONS)).code).toBe(0);
    const left = (await verify()).differences.map(({ table }) => table);
    expect(left.filter((table) => !SOURCE_TABLES.has(table!))).toEqual([]);
  }, 240_000);
});
