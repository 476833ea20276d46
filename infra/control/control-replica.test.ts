import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { clockTopic, commandTopic } from '#schemas/topics/control';
import { type Codec, CodecError } from '../codec/codec.ts';
import { RegistryError } from '../codec/confluent-registry.ts';
import { LogError } from '../log/log.ts';
import { createHealth } from '../telemetry/health.ts';
import { createAuthenticator } from './authenticator.ts';
import { openControlHost } from './control-host.ts';
import { slowLog } from './slow-log.fixture.ts';
import { testNodes } from './test-nodes.fixture.ts';

const AT = { topic: commandTopic.name, partition: 0 };
const CLOCK_MS = Date.UTC(2026, 2, 1);
const nodes = testNodes();
const { hosts, logged, logger, host, otherNode, seed, commands } = nodes;

describe('a host', () => {
  it('asks and writes a slow log together for all that is submitted at once; what is refused fails alone', async () => {
    const slow = Object.create(nodes.opened.log) as typeof nodes.opened.log;
    let asked = 0;
    slow.last = async (at) => {
      if (at.topic === clockTopic.name) asked += 1;
      await sleep(20);
      return nodes.opened.log.last(at);
    };
    slow.append = async (records) => {
      await sleep(20);
      if (records.some(({ value }) => value!.includes('"nth":7}'))) throw new LogError('log_too_large', 'too large');
      await nodes.opened.log.append(records);
    };
    const on = await host(slow);
    asked = 0;
    const ends = await Promise.allSettled(Array.from({ length: 40 }, (_, nth) => on.submit('key.paint', { nth })));
    expect(ends.filter(({ status }) => status === 'rejected')).toEqual([ends[7]]);
    expect(ends[7]).toMatchObject({ reason: { code: 'log_too_large' } });
    expect(asked).toBeLessThanOrEqual(2);
    const bodies = (await commands()).map(({ value }) => nodes.opened.codec.decode(commandTopic, value!).body);
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
      expect((await host(slowLog(nodes.opened.log, commandTopic.name, { silent: false }).log)).state).toEqual(
        first.state,
      );
      expect(Date.now() - began).toBeGreaterThan(60_000);
      const { log, openReaders } = slowLog(nodes.opened.log, commandTopic.name, { silent: true });
      await expect(openControlHost({ log, codec: nodes.opened.codec, logger })).rejects.toMatchObject({
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
    await nodes.opened.log.append([{ ...clock, value: nodes.opened.codec.encode(clockTopic, mark) }]);
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
    const log = Object.create(nodes.opened.log) as typeof nodes.opened.log;
    log.append = (records) =>
      full ? Promise.reject(new LogError('log_full', 'no room')) : nodes.opened.log.append(records);
    const on = await host(log);
    await expect(on.submit('key.paint', {})).rejects.toMatchObject({ code: 'log_full' });
    full = false;
    expect(await on.submit('key.paint', {})).toMatchObject({ ok: false });
  });

  it('gives up on a verdict in time also while the log does not answer an append', async () => {
    const log = Object.create(nodes.opened.log) as typeof nodes.opened.log;
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
    await nodes.opened.log.append([{ ...AT, key: 'x', value: Buffer.from('nonsense'), receivedAt: 0, seq: 0 }]);
    expect(await seed(on, null)).toMatch(/^plx_live_/);
    expect(logged.join()).toContain('passed over');
  });
});

describe('a host that cannot read every command', () => {
  const STALE_MS = 120;
  /** A host whose log and codec can be made to fail; a key whose token is known here. */
  async function troubledHost() {
    const health = createHealth();
    const [log, codec] = [
      Object.create(nodes.opened.log) as typeof nodes.opened.log,
      Object.create(nodes.opened.codec) as Codec,
    ];
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
      codec.decode = (topic, bytes) => nodes.opened.codec.decode(topic, bytes);
      codec.learn = (bytes) => nodes.opened.codec.learn(bytes);
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
      return nodes.opened.codec.decode(topic, bytes);
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
    log.last = (at) => nodes.opened.log.last(at);
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
