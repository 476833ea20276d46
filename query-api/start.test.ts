import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCodec } from '#infra/codec/create-codec';
import { openLogRegistry } from '#infra/codec/log-registry';
import { SettingError } from '#infra/config/declare';
import { loadSettings } from '#infra/config/settings';
import { formatToken, mintToken } from '#infra/control/token';
import { openEmbeddedLog } from '#infra/log/embedded/open-embedded-log';
import type { EventLog } from '#infra/log/log';
import type { RoleContext } from '#infra/runtime/context';
import { createHealth } from '#infra/telemetry/health';
import { createMetrics } from '#infra/telemetry/metrics';
import { TOPICS } from '#schemas/topics/catalog';
import { type DailyRow, dailyRowTopic } from '#schemas/topics/daily';
import type { UniversalEvent } from '#schemas/topics/derived';
import { eventTopic } from '#schemas/topics/derived';
import { type RunningQueryApi, start } from './start.ts';
import { anEvent, NOON_MS } from './testing/records.fixture.ts';

let folder: string;
let log: EventLog;
let context: RoleContext;
let roles: RunningQueryApi[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parallax-query-api-'));
  roles = [];
  await openContext();
});
afterEach(async () => {
  for (const role of roles) await role.close();
  await log.close();
  rmSync(folder, { recursive: true, force: true });
});

async function openContext(environment: Record<string, string> = {}): Promise<void> {
  log = await openEmbeddedLog({ path: join(folder, 'log') });
  await log.createTopics(TOPICS);
  const codec = createCodec(await openLogRegistry(log));
  await codec.prepare(TOPICS);
  context = {
    settings: loadSettings(['--http-port', '0'], environment),
    log,
    codec,
    // Not used by the routes of this test.
    store: { query: () => Promise.reject(new Error('not needed here')) } as unknown as RoleContext['store'],
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(),
    health: createHealth(),
  };
}
async function open(): Promise<RunningQueryApi> {
  const role = await start(context);
  roles.push(role);
  return role;
}
async function closeAll(): Promise<void> {
  for (const role of roles.splice(0)) await role.close();
}
async function appendEvent(event: UniversalEvent, seq: number): Promise<void> {
  const value = context.codec.encode(eventTopic, event);
  const { universalId: key } = event;
  await log.append([{ topic: eventTopic.name, partition: 0, key, value, receivedAt: event.receivedAt, seq }]);
}
async function until(done: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await done())) {
    if (Date.now() > deadline) throw new Error('condition not met within 10 s');
    await sleep(5);
  }
}
const isHealthy = (role: RunningQueryApi) => async () => (await fetch(`${role.url}/health`)).status === 200;
const tokenOf = (role: RunningQueryApi) => role.newAdminToken!;
async function eventsOf(role: RunningQueryApi, token: string): Promise<string[]> {
  const response = await fetch(`${role.url}/v1/events?status=open`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  const { events } = (await response.json()) as { events: { universalId: string }[] };
  return events.map((event) => event.universalId);
}

describe('the role', () => {
  it('announces an admin token on the first start, and serves stored and new records', async () => {
    await appendEvent(anEvent({ universalId: 'evt_1' }), 1);
    const role = await open();
    const token = tokenOf(role);
    await until(isHealthy(role));
    expect(await eventsOf(role, token)).toEqual(['evt_1']);
    await appendEvent(anEvent({ universalId: 'evt_2', receivedAt: NOON_MS + 1 }), 2);
    await until(async () => (await eventsOf(role, token)).length === 2);
  });

  it('serves the same after a restart with the same token, and announces none', async () => {
    await appendEvent(anEvent({ universalId: 'evt_1' }), 1);
    const first = await open();
    const token = tokenOf(first);
    await until(isHealthy(first));
    await closeAll();
    await log.close();
    await openContext();
    const second = await open();
    expect(second.newAdminToken).toBeNull();
    await until(isHealthy(second));
    expect(await eventsOf(second, token)).toEqual(['evt_1']);
  });

  it('uses the admin token of the setting and announces none', async () => {
    const token = formatToken(mintToken());
    await log.close();
    await openContext({ PARALLAX_ADMIN_TOKEN: token });
    const role = await open();
    expect(role.newAdminToken).toBeNull();
    await until(isHealthy(role));
    expect(await eventsOf(role, token)).toEqual([]);
  });

  it('applies the quotas of the setting, including the usage from before a restart', async () => {
    const PARALLAX_QUOTAS = '{"enterprise":{"api.request":{"minute":null,"day":2}}}';
    const token = formatToken(mintToken());
    const send = async (role: RunningQueryApi) => {
      const response = await fetch(`${role.url}/v1/events?status=open`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return [response.status, response.headers.get('x-quota-remaining')];
    };
    await log.close();
    await openContext({ PARALLAX_ADMIN_TOKEN: token, PARALLAX_QUOTAS });
    const first = await open();
    await until(isHealthy(first));
    expect(await send(first)).toEqual([200, '1']);
    await closeAll();
    await log.close();
    await openContext({ PARALLAX_ADMIN_TOKEN: token, PARALLAX_QUOTAS });
    const second = await open();
    await until(isHealthy(second));
    expect(await send(second)).toEqual([200, '0']);
    expect(await send(second)).toEqual([429, '0']);
  });

  it('states in responses from tables how far these are filled, as of the stage that fills them', async () => {
    context = { ...context, store: { query: async () => [] } as unknown as RoleContext['store'] };
    const row: DailyRow = {
      ...{ tradeDate: '2026-02-28', marketType: 'perp', symbol: 'BTC', receivedAt: NOON_MS, source: 'candle_agg_5m' },
      ...{ open: '1', high: '1', low: '1', close: '1', volume: '1', amount: '1', marketCap: null },
      ...{ parts: 288, complete: true },
    };
    const value = context.codec.encode(dailyRowTopic, row);
    await log.append([{ topic: dailyRowTopic.name, partition: 0, key: 'BTC', value, receivedAt: NOON_MS, seq: 1 }]);
    const role = await open();
    await until(isHealthy(role));
    const response = await fetch(`${role.url}/v1/markets/venue_a/daily?date=2026-02-28`, {
      headers: { authorization: `Bearer ${tokenOf(role)}` },
    });
    // Nothing was written into the tables yet.
    expect([response.status, response.headers.get('x-fetched-at')]).toEqual([200, '2026-03-01T11:59:59.999Z']);
  });

  it('frees its port and stops its views on close', async () => {
    const role = await open();
    await until(isHealthy(role));
    await closeAll();
    await expect(fetch(`${role.url}/health`)).rejects.toThrow();
    const again = await open();
    await until(isHealthy(again));
  });

  it('rejects with a message that names the setting if the port is in use, and leaves nothing running', async () => {
    const { url: address } = await open();
    const settings = loadSettings(['--http-port', new URL(address).port], {});
    await expect(start({ ...context, settings })).rejects.toThrow(SettingError);
    await expect(start({ ...context, settings })).rejects.toThrow(/--http-port/);
  });
});
