import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clockTopic, commandTopic } from '#schemas/topics/control';
import { type Codec, CodecError } from '../codec/codec.ts';
import { RegistryError } from '../codec/confluent-registry.ts';
import { SettingError } from '../config/declare.ts';
import { LogError } from '../log/log.ts';
import { createHealth } from '../telemetry/health.ts';
import { createAuthenticator } from './authenticator.ts';
import { type ControlHost, openControlHost } from './control-host.ts';
import { openTestLog, type TestLog } from './open-test-log.fixture.ts';
import { seedAdminKey } from './seed.ts';
import { slowLog } from './slow-log.fixture.ts';
import { formatToken, mintToken, parseToken } from './token.ts';

const AT = { topic: commandTopic.name, partition: 0 };
const CLOCK_MS = Date.UTC(2026, 2, 1);
let opened: TestLog;
let hosts: ControlHost[];
let logged: string[];
const logger = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });

beforeEach(async () => {
  opened = await openTestLog();
  hosts = [];
  logged = [];
});
afterEach(async () => {
  for (const host of hosts) await host.close();
  await opened.close();
});

async function host(log = opened.log): Promise<ControlHost> {
  const made = await openControlHost({ log, codec: opened.codec, logger });
  hosts.push(made);
  return made;
}
/** Another node: the same log, told apart by being another object. */
const otherNode = () => host(Object.create(opened.log) as typeof opened.log);

async function seed(on: ControlHost, adminToken: string | null): Promise<string | null> {
  return seedAdminKey({ host: on, authenticator: createAuthenticator(on), logger, adminToken, plan: 'pro' });
}
async function commands() {
  const reader = await opened.log.reader([{ ...AT, offset: 0 }]);
  const { records } = await reader.poll(100, 50);
  await reader.close();
  return records;
}

describe('a host', () => {
  it('asks and writes a slow log together for all that is submitted at once; what is refused fails alone', async () => {
    const slow = Object.create(opened.log) as typeof opened.log;
    let asked = 0;
    slow.last = async (at) => {
      if (at.topic === clockTopic.name) asked += 1;
      await sleep(20);
      return opened.log.last(at);
    };
    slow.append = async (records) => {
      await sleep(20);
      if (records.some(({ value }) => value!.includes('"nth":7}'))) throw new LogError('log_too_large', 'too large');
      await opened.log.append(records);
    };
    const on = await host(slow);
    asked = 0;
    const ends = await Promise.allSettled(Array.from({ length: 40 }, (_, nth) => on.submit('key.paint', { nth })));
    expect(ends.filter(({ status }) => status === 'rejected')).toEqual([ends[7]]);
    expect(ends[7]).toMatchObject({ reason: { code: 'log_too_large' } });
    expect(asked).toBeLessThanOrEqual(2);
    const bodies = (await commands()).map(({ value }) => opened.codec.decode(commandTopic, value!).body);
    expect(bodies).toEqual(Array.from({ length: 40 }, (_, nth) => `{"nth":${nth}}`).filter((_, nth) => nth !== 7));
  });

  it('answers a command once it has taken it, and takes what others append', async () => {
    const [first, second] = [await host(), await otherNode()];
    const token = await seed(first, null);
    expect(first.state.keys.size).toBe(1);
    const deadline = Date.now() + 5_000;
    while (second.state.keys.size === 0 && Date.now() < deadline) await sleep(5);
    expect(second.state).toEqual(first.state);
    expect((await createAuthenticator(second).authenticate(token!))?.organization.plan).toBe('pro');
  });

  it('knows at its start everything that was decided before', async () => {
    await seed(await host(), null);
    expect((await otherNode()).state).toEqual(hosts[0]!.state);
  });

  it('starts however long the commands take to come, but not while none comes', async () => {
    const first = await host();
    for (let nth = 0; nth < 5; nth += 1) await first.submit('key.paint', {});
    await seed(first, null);
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const began = Date.now();
      expect((await host(slowLog(opened.log, commandTopic.name, { silent: false }).log)).state).toEqual(first.state);
      expect(Date.now() - began).toBeGreaterThan(60_000);
      const { log, openReaders } = slowLog(opened.log, commandTopic.name, { silent: true });
      await expect(openControlHost({ log, codec: opened.codec, logger })).rejects.toMatchObject({
        code: 'log_unavailable',
        message: expect.stringContaining(commandTopic.name),
      });
      expect(openReaders()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is one for all who open it on the same log, until the last has closed it', async () => {
    const [first, second] = [await host(), await host()];
    expect(second.state).toBe(first.state);
    await hosts.pop()!.close();
    expect(await seed(first, null)).toMatch(/^plx_live_/);
  });

  it('stamps commands with the newest clock position and never goes back', async () => {
    const on = await host();
    await on.submit('key.paint', {});
    const mark = { receivedAt: CLOCK_MS, tick: true, hour: false, day: false };
    const clock = { topic: clockTopic.name, partition: 0, key: 'clock', receivedAt: CLOCK_MS, seq: 1 };
    await opened.log.append([{ ...clock, value: opened.codec.encode(clockTopic, mark) }]);
    await Promise.all([on.submit('key.paint', {}), on.submit('key.paint', {})]);
    const times = (await commands()).map((record) => record.receivedAt);
    expect(times).toEqual([0, CLOCK_MS, CLOCK_MS]);
  });

  it('gives every command a key of its own, which tells a repeat', async () => {
    const on = await host();
    await Promise.all([1, 2, 3].map(() => on.submit('key.paint', {})));
    expect(new Set((await commands()).map((record) => record.key)).size).toBe(3);
  });

  it('tells what is to be audited, and whether an answer is a repeat', async () => {
    const on = await host();
    await seed(on, null);
    const { id: keyId, orgId, userId } = [...on.state.keys.values()][0]!;
    const idempotency = { key: 'k', route: 'POST /v1/me/wallets', bodyDigest: 'd' };
    const wallet = { walletId: 'wal_1', provider: 'venue_a', address: `0x${'a'.repeat(40)}`, label: '' };
    const bind = (bodyDigest: string) =>
      on.submit('wallet.bind', {
        actor: { orgId, keyId, userId, sandbox: false },
        idempotency: { ...idempotency, bodyDigest },
        ...wallet,
      });
    const first = await bind('d');
    expect(first).toMatchObject({ ok: true, replayed: false, audit: [{ orgId, keyId, targetId: 'wal_1' }] });
    expect(await bind('d')).toMatchObject({ ok: true, replayed: true, audit: [], result: { id: 'wal_1' } });
    expect(await bind('other')).toMatchObject({ ok: false, status: 422, replayed: false });
  });

  it('tells the refusal of a command', async () => {
    expect(await (await host()).submit('key.paint', {})).toMatchObject({ ok: false, code: 'bad_request' });
  });

  it('says so when the log takes nothing, and goes on when it does again', async () => {
    let full = true;
    const log = Object.create(opened.log) as typeof opened.log;
    log.append = (records) => (full ? Promise.reject(new LogError('log_full', 'no room')) : opened.log.append(records));
    const on = await host(log);
    await expect(on.submit('key.paint', {})).rejects.toMatchObject({ code: 'log_full' });
    full = false;
    expect(await on.submit('key.paint', {})).toMatchObject({ ok: false });
  });

  it('gives up on a verdict in time also while the log does not answer an append', async () => {
    const log = Object.create(opened.log) as typeof opened.log;
    log.append = () => new Promise(() => {});
    const on = await host(log);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const refused = expect(on.submit('key.paint', {})).rejects.toMatchObject({ code: 'verdict_timeout' });
      await vi.advanceTimersByTimeAsync(10_001);
      await refused;
    } finally {
      vi.useRealTimers();
    }
  });

  it('passes over a record that is no command', async () => {
    const on = await host();
    await opened.log.append([{ ...AT, key: 'x', value: Buffer.from('nonsense'), receivedAt: 0, seq: 0 }]);
    expect(await seed(on, null)).toMatch(/^plx_live_/);
    expect(logged.join()).toContain('passed over');
  });
});

describe('a host that cannot read every command', () => {
  const STALE_MS = 120;
  /** A host whose log and codec can be made to fail; a key whose token is known here. */
  async function troubledHost() {
    const health = createHealth();
    const [log, codec] = [Object.create(opened.log) as typeof opened.log, Object.create(opened.codec) as Codec];
    const on = await openControlHost({ log, codec, logger, health, staleAfterMs: STALE_MS });
    hosts.push(on);
    const token = (await seed(on, null))!;
    return { log, codec, health, on, token, authenticator: createAuthenticator(on) };
  }
  /** The schema of the commands is not known, and cannot be learnt; until the returned call. */
  function forgetSchema(codec: Codec, fault: Error): () => void {
    codec.learn = () => Promise.reject(fault);
    codec.decode = () => {
      throw new CodecError('unknown_schema', 'schema 9 is not known here yet');
    };
    return () => {
      codec.decode = (topic, bytes) => opened.codec.decode(topic, bytes);
      codec.learn = (bytes) => opened.codec.learn(bytes);
    };
  }
  const REFUSAL = { name: 'ApiError', code: 'internal_error', status: 503, retryAfterSeconds: 1 };

  it.each([
    ['the registry is away', new RegistryError('the registry is away', true)],
    ['nobody knows the schema yet', new CodecError('unknown_schema', 'nobody registered schema 9')],
  ])('because %s accepts no key once it is behind, and goes on when it can', async (_name, fault) => {
    const { codec, health, on, token, authenticator } = await troubledHost();
    const remember = forgetSchema(codec, fault);
    const revoked = on.submit('key.paint', {});
    await vi.waitFor(() => expect(health.report().parts.control).toBe(fault.message));
    await vi.waitFor(() => expect(() => authenticator.authenticateKnown(token)).toThrow(), 5_000);
    await expect(authenticator.authenticate(token)).rejects.toMatchObject(REFUSAL);
    remember();
    expect(await revoked).toMatchObject({ ok: false });
    await vi.waitFor(() => expect(authenticator.authenticateKnown(token)).not.toBeNull(), 5_000);
    expect(health.report().parts.control).toBe('ready');
  });

  it('goes on by itself once the schema of a command is learnt, deciding it once', async () => {
    const { codec, on } = await troubledHost();
    let learnt = 0;
    codec.decode = (topic, bytes) => {
      if (learnt === 0) throw new CodecError('unknown_schema', 'schema 9 is not known here yet');
      return opened.codec.decode(topic, bytes);
    };
    codec.learn = async () => {
      learnt += 1;
    };
    const [first, second] = await Promise.all([on.submit('key.paint', {}), on.submit('key.paint', {})]);
    for (const verdict of [first, second]) expect(verdict).toMatchObject({ ok: false, code: 'bad_request' });
    expect(learnt).toBe(1);
  });

  it('because its log is away without saying so accepts no key until it is back', async () => {
    const { log, health, token, authenticator } = await troubledHost();
    log.last = () => Promise.reject(new LogError('log_unavailable', 'no broker answers'));
    await vi.waitFor(() => expect(() => authenticator.authenticateKnown(token)).toThrow(), 5_000);
    await expect(authenticator.authenticate(token)).rejects.toMatchObject(REFUSAL);
    expect(health.report().parts.control).toBe('no broker answers');
    log.last = (at) => opened.log.last(at);
    await vi.waitFor(() => expect(authenticator.authenticateKnown(token)).not.toBeNull(), 5_000);
    expect(health.report().parts.control).toBe('ready');
  });

  it('stays current while nothing comes', async () => {
    const { on } = await troubledHost();
    for (const deadline = Date.now() + 3 * STALE_MS; Date.now() < deadline; await sleep(5))
      expect(on.isCurrent).toBe(true);
  });

  it('by a fault accepts no key any more, and says that it stopped', async () => {
    const { codec, health, on, token, authenticator } = await troubledHost();
    codec.decode = () => {
      throw new TypeError('a fault of ours');
    };
    on.submit('key.paint', {}).catch(() => {});
    expect(await health.failure).toMatchObject({
      part: 'control',
      message: expect.stringContaining('a fault of ours'),
    });
    expect(() => authenticator.authenticateKnown(token)).toThrow();
    expect(health.report().status).toBe('degraded');
  });

  it('is closed while it waits for the registry', async () => {
    const { codec, health, on } = await troubledHost();
    forgetSchema(codec, new RegistryError('the registry is away', true));
    on.submit('key.paint', {}).catch(() => {});
    await vi.waitFor(() => expect(health.report().status).toBe('degraded'));
    hosts.pop();
    await on.close();
    expect(logged.join()).not.toContain('stopped by a fault');
  });
});

describe('seeding', () => {
  it('makes a token once, tells it once, and keeps no trace of its secret', async () => {
    const on = await host();
    const token = await seed(on, null);
    expect(parseToken(token!)).not.toBeNull();
    expect(await seed(on, null)).toBeNull();
    const { secret } = parseToken(token!)!;
    for (const record of await commands()) expect(record.value!.includes(secret)).toBe(false);
    expect(logged.join()).not.toContain(secret);
  });

  it('takes a given token, tells nothing, and knows it again at the next start', async () => {
    const on = await host();
    const given = formatToken(mintToken());
    expect(await seed(on, given)).toBeNull();
    expect(await seed(on, given)).toBeNull();
    expect(await commands()).toHaveLength(1);
    expect(createAuthenticator(on).authenticateKnown(given)?.key.scopes).toEqual(['read', 'trade', 'stream', 'admin']);
  });

  it('leaves a given token whose key was revoked revoked, says so, and goes on', async () => {
    const on = await host();
    await seed(on, null);
    const given = mintToken();
    await seed(on, formatToken(given));
    const { orgId, userId } = on.state.keys.get(given.keyId)!;
    const actor = { orgId, keyId: given.keyId, userId, sandbox: false };
    expect(await on.submit('key.revoke', { actor, keyId: given.keyId })).toMatchObject({ ok: true });
    expect(await seed(on, formatToken(given))).toBeNull();
    expect(createAuthenticator(on).authenticateKnown(formatToken(given))).toBeNull();
    expect(logged.join()).toContain('was revoked; it stays so');
  });

  it('makes another given token one more admin key of the first organization, and logs it', async () => {
    const on = await host();
    await seed(on, null);
    const given = formatToken(mintToken());
    await seed(on, given);
    expect(on.state.keys.size).toBe(2);
    expect(on.state.organizations.size).toBe(1);
    expect(createAuthenticator(on).authenticateKnown(given)?.key.orgId).toBe(on.state.firstOrganizationId);
    expect(logged.join()).toContain('one more admin key');
  });

  it('refuses a given token whose id is that of a key with another secret', async () => {
    const on = await host();
    const token = mintToken();
    await seed(on, formatToken(token));
    const other = formatToken({ ...token, secret: mintToken().secret });
    await expect(seed(on, other)).rejects.toThrow(SettingError);
    expect(createAuthenticator(on).authenticateKnown(other)).toBeNull();
  });

  it('refuses a sandbox token', async () => {
    await expect(seed(await host(), formatToken(mintToken(true)))).rejects.toThrow(SettingError);
  });

  it('by two nodes at once leaves one organization, and one token that was told', async () => {
    const nodes = [await host(), await otherNode()];
    const tokens = await Promise.all(nodes.map((node) => seed(node, null)));
    expect(tokens.filter((token) => token !== null)).toHaveLength(1);
    expect(nodes[0]!.state.organizations.size).toBe(1);
    expect(nodes[0]!.state.keys.size).toBe(1);
  });

  it('by two nodes at once with the same token gives both a key that works', async () => {
    const nodes = [await host(), await otherNode()];
    const given = formatToken(mintToken());
    await Promise.all(nodes.map((node) => seed(node, given)));
    for (const node of nodes) expect(createAuthenticator(node).authenticateKnown(given)).not.toBeNull();
    expect(nodes[0]!.state.keys.size).toBe(1);
  });
});
