import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { clockTopic, commandTopic } from '#schemas/topics/control';
import { type Codec, CodecError } from '../codec/codec.ts';
import { RegistryError } from '../codec/confluent-registry.ts';
import { LogError } from '../log/log.ts';
import { createHealth } from '../telemetry/health.ts';
import { createAuthenticator } from './authenticator.ts';
import { openControlReplica } from './control-replica.ts';
import { slowLog } from './slow-log.fixture.ts';
import { testNodes } from './test-nodes.fixture.ts';

const AT = { topic: commandTopic.name, partition: 0 };
const CLOCK_MS = Date.UTC(2026, 2, 1);
const nodes = testNodes();
const { replicas, logged, logger, replica, otherNode, seed, commands } = nodes;

describe('a replica', () => {
  it('batches commands that are submitted together on a slow log; a refused one fails alone', async () => {
    const slow = Object.create(nodes.opened.log) as typeof nodes.opened.log;
    let clockReads = 0;
    slow.last = async (at) => {
      if (at.topic === clockTopic.name) clockReads += 1;
      await sleep(20);
      return nodes.opened.log.last(at);
    };
    slow.append = async (records) => {
      await sleep(20);
      if (records.some(({ value }) => value!.includes('"nth":7}'))) throw new LogError('log_too_large', 'too large');
      await nodes.opened.log.append(records);
    };
    const on = await replica(slow);
    clockReads = 0;
    const ends = await Promise.allSettled(Array.from({ length: 40 }, (_, nth) => on.submit('key.paint', { nth })));
    expect(ends.filter(({ status }) => status === 'rejected')).toEqual([ends[7]]);
    expect(ends[7]).toMatchObject({ reason: { code: 'log_too_large' } });
    expect(clockReads).toBeLessThanOrEqual(2);
    const bodies = (await commands()).map(({ value }) => nodes.opened.codec.decode(commandTopic, value!).body);
    expect(bodies).toEqual(Array.from({ length: 40 }, (_, nth) => `{"nth":${nth}}`).filter((_, nth) => nth !== 7));
  });

  it('returns the verdict of a command once it has reduced it, and reduces commands of other nodes', async () => {
    const [first, second] = [await replica(), await otherNode()];
    const token = await seed(first, null);
    expect(first.state.keys.size).toBe(1);
    const deadline = Date.now() + 5_000;
    while (second.state.keys.size === 0 && Date.now() < deadline) await sleep(5);
    expect(second.state).toEqual(first.state);
    expect((await createAuthenticator(second).authenticate(token!))?.organization.plan).toBe('pro');
  });

  it('has every earlier command in its state after its start', async () => {
    await seed(await replica(), null);
    expect((await otherNode()).state).toEqual(replicas[0]!.state);
  });

  it('starts however long reading the commands takes, but fails if none arrives', async () => {
    const first = await replica();
    for (let nth = 0; nth < 5; nth += 1) await first.submit('key.paint', {});
    await seed(first, null);
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const startedAt = Date.now();
      expect((await replica(slowLog(nodes.opened.log, commandTopic.name, { silent: false }).log)).state).toEqual(
        first.state,
      );
      expect(Date.now() - startedAt).toBeGreaterThan(60_000);
      const { log, openReaders } = slowLog(nodes.opened.log, commandTopic.name, { silent: true });
      await expect(openControlReplica({ log, codec: nodes.opened.codec, logger })).rejects.toMatchObject({
        code: 'log_unavailable',
        message: expect.stringContaining(commandTopic.name),
      });
      expect(openReaders()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is shared by all callers with the same log until the last has closed it', async () => {
    const [first, second] = [await replica(), await replica()];
    expect(second.state).toBe(first.state);
    await replicas.pop()!.close();
    expect(await seed(first, null)).toMatch(/^plx_live_/);
  });

  it('stamps commands with the newest clock position and never goes back', async () => {
    const on = await replica();
    await on.submit('key.paint', {});
    const mark = { receivedAt: CLOCK_MS, tick: true, hour: false, day: false };
    const clock = { topic: clockTopic.name, partition: 0, key: 'clock', receivedAt: CLOCK_MS, seq: 1 };
    await nodes.opened.log.append([{ ...clock, value: nodes.opened.codec.encode(clockTopic, mark) }]);
    await Promise.all([on.submit('key.paint', {}), on.submit('key.paint', {})]);
    const times = (await commands()).map((record) => record.receivedAt);
    expect(times).toEqual([0, CLOCK_MS, CLOCK_MS]);
  });

  it('gives every command a unique key, which identifies a repeat', async () => {
    const on = await replica();
    await Promise.all([1, 2, 3].map(() => on.submit('key.paint', {})));
    expect(new Set((await commands()).map((record) => record.key)).size).toBe(3);
  });

  it('returns the audit entries, and if a verdict is a repeat', async () => {
    const on = await replica();
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

  it('returns the refusal of a command', async () => {
    expect(await (await replica()).submit('key.paint', {})).toMatchObject({ ok: false, code: 'bad_request' });
  });

  it('rejects while the log accepts nothing, and works when it does again', async () => {
    let full = true;
    const log = Object.create(nodes.opened.log) as typeof nodes.opened.log;
    log.append = (records) =>
      full ? Promise.reject(new LogError('log_full', 'no room')) : nodes.opened.log.append(records);
    const on = await replica(log);
    await expect(on.submit('key.paint', {})).rejects.toMatchObject({ code: 'log_full' });
    full = false;
    expect(await on.submit('key.paint', {})).toMatchObject({ ok: false });
  });

  it('times out waiting for a verdict also while the log does not answer an append', async () => {
    const log = Object.create(nodes.opened.log) as typeof nodes.opened.log;
    log.append = () => new Promise(() => {});
    const on = await replica(log);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const refused = expect(on.submit('key.paint', {})).rejects.toMatchObject({ code: 'verdict_timeout' });
      await vi.advanceTimersByTimeAsync(10_001);
      await refused;
    } finally {
      vi.useRealTimers();
    }
  });

  it('skips an undecodable record', async () => {
    const on = await replica();
    await nodes.opened.log.append([{ ...AT, key: 'x', value: Buffer.from('nonsense'), receivedAt: 0, seq: 0 }]);
    expect(await seed(on, null)).toMatch(/^plx_live_/);
    expect(logged.join()).toContain('skipped an undecodable record');
  });
});

describe('a replica that cannot read every command', () => {
  const STALE_MS = 120;
  /** A replica whose log and codec can be made to fail; a key whose token is verified here. */
  async function unstableReplica() {
    const health = createHealth();
    const [log, codec] = [
      Object.create(nodes.opened.log) as typeof nodes.opened.log,
      Object.create(nodes.opened.codec) as Codec,
    ];
    const on = await openControlReplica({ log, codec, logger, health, staleAfterMs: STALE_MS });
    replicas.push(on);
    const token = (await seed(on, null))!;
    return { log, codec, health, on, token, authenticator: createAuthenticator(on) };
  }
  /** Makes the schema of the commands unknown and unfetchable; the returned function undoes that. */
  function removeSchema(codec: Codec, fault: Error): () => void {
    codec.hasSchema = () => false;
    codec.fetchSchema = () => Promise.reject(fault);
    return () => {
      codec.hasSchema = () => true;
    };
  }
  const REFUSAL = { name: 'ApiError', code: 'internal_error', status: 503, retryAfterSeconds: 1 };

  it.each([
    ['the registry is unavailable', new RegistryError('the registry is unavailable', true)],
    ['the schema is not registered yet', new CodecError('unknown_schema', 'schema 9 is not registered')],
  ])('because %s accepts no key once it is stale, and recovers', async (_name, fault) => {
    const { codec, health, on, token, authenticator } = await unstableReplica();
    const restoreSchema = removeSchema(codec, fault);
    const revoked = on.submit('key.paint', {});
    await expect.poll(() => health.report().parts.control).toContain(fault.message);
    await vi.waitFor(() => expect(() => authenticator.authenticateKnown(token)).toThrow(), 5_000);
    await expect(authenticator.authenticate(token)).rejects.toMatchObject(REFUSAL);
    restoreSchema();
    expect(await revoked).toMatchObject({ ok: false });
    await vi.waitFor(() => expect(authenticator.authenticateKnown(token)).not.toBeNull(), 5_000);
    expect(health.report().parts.control).toBe('ready');
  });

  it('recovers once the schema of a command is fetched, and reduces the command once', async () => {
    const { codec, on } = await unstableReplica();
    let fetched = 0;
    codec.hasSchema = () => fetched > 0;
    codec.fetchSchema = async () => {
      fetched += 1;
    };
    const [first, second] = await Promise.all([on.submit('key.paint', {}), on.submit('key.paint', {})]);
    for (const verdict of [first, second]) expect(verdict).toMatchObject({ ok: false, code: 'bad_request' });
    expect(fetched).toBe(1);
  });

  it('because its log is silently unavailable accepts no key until it is available again', async () => {
    const { log, health, token, authenticator } = await unstableReplica();
    log.last = () => Promise.reject(new LogError('log_unavailable', 'no broker answers'));
    await vi.waitFor(() => expect(() => authenticator.authenticateKnown(token)).toThrow(), 5_000);
    await expect(authenticator.authenticate(token)).rejects.toMatchObject(REFUSAL);
    expect(health.report().parts.control).toContain('no broker answers');
    log.last = (at) => nodes.opened.log.last(at);
    await vi.waitFor(() => expect(authenticator.authenticateKnown(token)).not.toBeNull(), 5_000);
    expect(health.report().parts.control).toBe('ready');
  });

  it('stays current while no command arrives', async () => {
    const { on } = await unstableReplica();
    for (const deadline = Date.now() + 3 * STALE_MS; Date.now() < deadline; await sleep(5))
      expect(on.isCurrent).toBe(true);
  });

  it('because of a fault accepts no key any more, and reports that it stopped', async () => {
    const { codec, health, on, token, authenticator } = await unstableReplica();
    codec.decode = () => {
      throw new TypeError('a fault of the program');
    };
    on.submit('key.paint', {}).catch(() => {});
    expect(await health.failure).toMatchObject({
      part: 'control',
      message: expect.stringContaining('a fault of the program'),
    });
    expect(() => authenticator.authenticateKnown(token)).toThrow();
    expect(health.report().status).toBe('degraded');
  });

  it('can be closed while it waits for the registry', async () => {
    const { codec, health, on } = await unstableReplica();
    removeSchema(codec, new RegistryError('the registry is unavailable', true));
    on.submit('key.paint', {}).catch(() => {});
    await expect.poll(() => health.report().status).toBe('degraded');
    replicas.pop();
    await on.close();
    expect(logged.join()).not.toContain('stopped processing');
  });
});
