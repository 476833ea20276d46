import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { readPartition } from '#infra/log/read-partition';
import { RECORD_BYTES_MAX } from '#infra/log/record-size';
import { openRequestClient, type RequestClient } from '#infra/requests/request-client';
import type { Running } from '#infra/runtime/context';
import { defineKind, type RequestKind } from '#schemas/requests/kind';
import { type RequestOutcome, requestOutcomeTopic, requestTopic } from '#schemas/topics/requests';
import { UpstreamError } from '../feed/errors.ts';
import { silentLogger as logger, until } from '../testing/open-publisher.fixture.ts';
import { openTestRole, type TestRole, testFolder } from '../testing/role-context.fixture.ts';
import { readInTime } from './read-in-time.ts';
import { defineHandler, type RequestHandler } from './request-handler.ts';
import { startRequestServer } from './request-server.ts';

const closing: (() => Promise<unknown>)[] = [];
let role: TestRole;
beforeEach(async () => {
  const { folder, remove } = await testFolder();
  closing.push(remove);
  role = await openTestRole(folder, {});
  closing.push(() => role.close());
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Params = { coin: string };
type Kind = RequestKind<Params, number>;
type Run = RequestHandler<Params, number>['run'];

const aKind = (fields: Partial<Kind> = {}): Kind =>
  defineKind({
    name: 'test.read',
    params: z.object({ coin: z.string() }),
    result: z.number(),
    limits: { perOrganization: 10, total: 20 },
    waitMs: 20_000,
    lifetimeMs: () => 0,
    ...fields,
  });
const KIND = aKind();
const BTC = { coin: 'BTC' };

async function openClient(): Promise<RequestClient> {
  const { log, codec } = role.context;
  const client = await openRequestClient({ log, codec, logger });
  closing.push(() => client.close());
  return client;
}
async function openServer(run: Run | null, kind = KIND, running = 2): Promise<Running> {
  const { log, codec } = role.context;
  const handlers = run ? [defineHandler({ kind, running, expiresAfterMs: 60_000, run })] : [];
  const server = await startRequestServer({ log, codec, logger, handlers });
  closing.push(() => server.close());
  return server;
}
async function outcomes(): Promise<RequestOutcome[]> {
  const { log, codec } = role.context;
  const found: RequestOutcome[] = [];
  await readPartition(log, { topic: requestOutcomeTopic.name, partition: 0 }, ({ value }) => {
    found.push(codec.decode(requestOutcomeTopic, value!));
  });
  return found;
}
async function requestCount(): Promise<number> {
  let count = 0;
  await readPartition(role.context.log, { topic: requestTopic.name, partition: 0 }, () => {
    count += 1;
  });
  return count;
}
/** A handler whose results the test provides. */
function controlledRun() {
  const started: { end(result?: number): void; fail(error: Error): void; signal: AbortSignal }[] = [];
  const run: Run = (_params, { signal }) =>
    new Promise<number>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      started.push({ end: (result = 7) => resolve(result), fail: reject, signal });
    });
  return { started, run };
}
const codeOf = (sent: Promise<unknown>) =>
  sent.then(
    () => null,
    (error: { code: string }) => error.code,
  );

describe('a request to ingest', () => {
  it('is served once for all equal requests of the meantime, of one organization or several, and of several nodes', async () => {
    const { started, run } = controlledRun();
    await openServer(run);
    const clients = [await openClient(), await openClient()];
    const sent = clients.flatMap((client) => [client.send('a', KIND, BTC), client.send('b', KIND, BTC)]);
    await expect.poll(requestCount, { timeout: 10_000 }).toBe(sent.length);
    // Requests are read in their order, so the server has those before this one when it starts.
    const other = clients[0]!.send('a', KIND, { coin: 'ETH' });
    await until(() => started.length === 2);
    for (const each of started) each.end();
    const results = await Promise.all([...sent, other]);
    expect(results.map(({ result }) => result)).toEqual([7, 7, 7, 7, 7]);
    expect(started).toHaveLength(2);
    // One record for each node and organization, one for the other request.
    expect(await outcomes()).toHaveLength(5);
  });

  it('is waited for no longer when its node closes, and neither is a later one', async () => {
    const { started, run } = controlledRun();
    await openServer(run);
    const client = await openClient();
    const waiting = codeOf(client.send('a', KIND, BTC));
    await until(() => started.length === 1);
    client.endWaits();
    expect(await waiting).toBe('unavailable');
    expect(await codeOf(client.send('a', KIND, BTC))).toBe('unavailable');
  });

  it('is answered from the cache of its node, and of ingest for another node, for the lifetime of the result', async () => {
    const kind = aKind({ lifetimeMs: () => 60_000 });
    let runs = 0;
    await openServer(async () => {
      runs += 1;
      return runs;
    }, kind);
    const client = await openClient();
    const first = await client.send('a', kind, BTC);
    const repeated = await client.send('a', kind, BTC);
    expect(repeated).toEqual(first);
    expect(await outcomes()).toHaveLength(1);
    const other = await (await openClient()).send('a', kind, BTC);
    expect([other.result, other.producedAt, runs]).toEqual([1, first.producedAt, 1]);
  });

  it('is served again without a lifetime', async () => {
    let runs = 0;
    await openServer(async () => {
      runs += 1;
      return runs;
    });
    const client = await openClient();
    const results = [await client.send('a', KIND, BTC), await client.send('a', KIND, BTC)];
    expect(results.map(({ result }) => result)).toEqual([1, 2]);
  });

  it('continues after a caller has stopped waiting, so that a repeated request finds its result', async () => {
    const kind = aKind({ waitMs: 200, lifetimeMs: () => 60_000 });
    const { started, run } = controlledRun();
    await openServer(run, kind);
    const client = await openClient();
    expect(await codeOf(client.send('a', kind, BTC))).toBe('late');
    started[0]!.end();
    expect(await client.send('a', aKind({ lifetimeMs: kind.lifetimeMs }), BTC)).toMatchObject({ result: 7 });
    expect(started).toHaveLength(1);
  });

  it('fails with the response of the venue', async () => {
    let error: Error = new Error('a bug');
    await openServer(async () => Promise.reject(error));
    const client = await openClient();
    const failure = () => client.send('a', KIND, BTC).catch((caught: unknown) => caught);
    expect(await failure()).toMatchObject({ code: 'upstream_failed', upstream: { status: null, body: null } });
    error = new UpstreamError('upstream_unavailable', 'x', { status: 503, body: 'down' });
    expect(await failure()).toMatchObject({ code: 'upstream_failed', upstream: { status: 503, body: 'down' } });
    error = new UpstreamError('upstream_rate_limited', 'x', { status: 429, body: '', retryAfterMs: 5_000 });
    expect(await failure()).toMatchObject({ code: 'rate_limited', upstream: { status: 429 }, retryAfterMs: 5_000 });
  });

  it('fails if its result is larger than a record, and takes no other outcome with it', async () => {
    const kind: RequestKind<Params, string> = { ...aKind(), result: z.string() };
    const { log, codec } = role.context;
    const run = async ({ coin }: Params) => 'x'.repeat(coin === 'BTC' ? RECORD_BYTES_MAX : 3);
    const handlers = [defineHandler({ kind, running: 2, expiresAfterMs: 60_000, run })];
    const server = await startRequestServer({ log, codec, logger, handlers });
    closing.push(() => server.close());
    const client = await openClient();
    const sent = [codeOf(client.send('a', kind, BTC)), codeOf(client.send('a', kind, { coin: 'ETH' }))];
    expect(await Promise.all(sent)).toEqual(['upstream_failed', null]);
  });

  it('states to its handler every organization that waits for it, also those that join while it runs', async () => {
    const { log, codec } = role.context;
    const seen: ReadonlySet<string>[] = [];
    let joins = 0;
    let end!: (result: number) => void;
    const run: Run = (_params, { orgIds }) => {
      seen.push(orgIds);
      return new Promise((resolve) => {
        end = resolve;
      });
    };
    const onJoin = () => {
      joins += 1;
    };
    const handlers = [defineHandler({ kind: KIND, running: 1, expiresAfterMs: 60_000, onJoin, run })];
    const server = await startRequestServer({ log, codec, logger, handlers });
    closing.push(() => server.close());
    const client = await openClient();
    const first = client.send('a', KIND, BTC);
    await until(() => seen.length === 1);
    const second = client.send('b', KIND, BTC);
    await until(() => joins === 2);
    expect(seen.map((orgIds) => [...orgIds])).toEqual([['a', 'b']]);
    end(7);
    expect([await first, await second]).toMatchObject([{ result: 7 }, { result: 7 }]);
  });

  it('waits on if there was no room in time for an older equal one, which fails', async () => {
    const { log, codec } = role.context;
    const started: { fail(error: Error): void; end(result: number): void }[] = [];
    const run: Run = () => new Promise((end, fail) => started.push({ end, fail }));
    let joins = 0;
    const onJoin = () => {
      joins += 1;
    };
    const handlers = [defineHandler({ kind: KIND, running: 1, expiresAfterMs: 60_000, onJoin, run })];
    const server = await startRequestServer({ log, codec, logger, handlers });
    closing.push(() => server.close());
    const client = await openClient();
    const older = codeOf(client.send('a', KIND, BTC));
    await until(() => started.length === 1);
    const startedAt = Date.now();
    await until(() => Date.now() > startedAt);
    const younger = client.send('b', KIND, BTC);
    await until(() => joins === 2);
    started[0]!.fail(new UpstreamError('upstream_rate_limited', 'no room', { retryAfterMs: 1_000 }));
    expect(await older).toBe('rate_limited');
    await until(() => started.length === 2);
    started[1]!.end(7);
    expect(await younger).toMatchObject({ result: 7 });
  });

  it('has its own time if an older equal one ran out of time, which fails with those that were sent shortly after', async () => {
    const { log, codec } = role.context;
    const started: { requestedAt: number; end(result: number): void }[] = [];
    // The time of the first read ends when the test ends it.
    const timeIsOver = new AbortController();
    const run: Run = (_params, { requestedAt, signal }) =>
      new Promise<number>((end, fail) => {
        const isFirst = started.push({ requestedAt, end }) === 1;
        const read = (inTime: AbortSignal) =>
          new Promise<number>((_, reject) => inTime.addEventListener('abort', () => reject(inTime.reason)));
        if (isFirst)
          timeIsOver.signal.addEventListener('abort', () => readInTime(requestedAt, signal, read).catch(fail));
      });
    let joins = 0;
    const onJoin = () => {
      joins += 1;
    };
    const handlers = [defineHandler({ kind: KIND, running: 1, expiresAfterMs: 60_000, onJoin, run })];
    const server = await startRequestServer({ log, codec, logger, handlers });
    closing.push(() => server.close());
    const client = await openClient();
    let laterMs = 0;
    const realNow = Date.now;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + laterMs);
    closing.push(async () => clock.mockRestore());
    const oldest = codeOf(client.send('a', KIND, BTC));
    await until(() => started.length === 1);
    const shortlyAfter = codeOf(client.send('b', KIND, BTC));
    await until(() => joins === 2);
    laterMs = 10_000;
    const younger = client.send('c', KIND, BTC);
    await until(() => joins === 3);
    timeIsOver.abort();
    expect([await oldest, await shortlyAfter]).toEqual(['upstream_failed', 'upstream_failed']);
    await until(() => started.length === 2);
    expect(started[1]!.requestedAt - started[0]!.requestedAt).toBeGreaterThanOrEqual(10_000);
    started[1]!.end(7);
    expect(await younger).toMatchObject({ result: 7 });
  });

  it.each([
    [undefined, 'expired'],
    [() => new UpstreamError('upstream_unavailable', 'the venue is silent'), 'upstream_failed'],
    [() => new UpstreamError('upstream_rate_limited', 'no room'), 'rate_limited'],
  ] as const)(
    'that waited too long for its turn fails for the reason that the handler states (%s)',
    async (because, code) => {
      const { log, codec } = role.context;
      const { started, run } = controlledRun();
      const handler = { kind: KIND, running: 1, expiresAfterMs: 1_000, run };
      const handlers = [defineHandler({ ...handler, ...(because ? { expiredBecause: because } : {}) })];
      const server = await startRequestServer({ log, codec, logger, handlers });
      closing.push(() => server.close());
      const client = await openClient();
      const first = client.send('a', KIND, BTC);
      await until(() => started.length === 1);
      expect(await codeOf(client.send('a', KIND, { coin: 'ETH' }))).toBe(code);
      started[0]!.end();
      expect(await first).toMatchObject({ result: 7 });
    },
  );

  it('fails if ingest reads it later than it may wait, as after a takeover', async () => {
    const client = await openClient();
    const sent = codeOf(client.send('a', KIND, BTC));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { log, codec } = role.context;
    const handlers = [defineHandler({ kind: KIND, running: 1, expiresAfterMs: 10, run: async () => 7 })];
    const server = await startRequestServer({ log, codec, logger, handlers });
    closing.push(() => server.close());
    expect(await sent).toBe('unavailable');
  });

  it('is refused if its kind is not served, and if too many wait in ingest', async () => {
    const client = await openClient();
    const without = await openServer(null);
    expect(await codeOf(client.send('a', KIND, BTC))).toBe('unavailable');
    await without.close();
    const { started, run } = controlledRun();
    await openServer(run, aKind({ limits: { perOrganization: 1, total: 9 } }), 1);
    const first = client.send('a', KIND, BTC);
    await until(() => started.length === 1);
    expect(await codeOf(client.send('a', KIND, { coin: 'ETH' }))).toBe('busy');
    started[0]!.end();
    expect(await first).toMatchObject({ result: 7 });
  });

  it('is refused by its node if too many wait there', async () => {
    const kind = aKind({ limits: { perOrganization: 2, total: 3 }, waitMs: 300 });
    const client = await openClient();
    const send = (orgId: string, coin: string) => codeOf(client.send(orgId, kind, { coin }));
    const waiting = [send('a', 'A'), send('a', 'B')];
    expect(await send('a', 'C')).toBe('busy');
    waiting.push(send('b', 'D'));
    expect(await send('c', 'E')).toBe('busy');
    expect(await Promise.all(waiting)).toEqual(['late', 'late', 'late']);
  });

  it('is waited for until the time limit of each caller, also by one that joined an equal earlier request', async () => {
    const { started, run } = controlledRun();
    await openServer(run, aKind({ lifetimeMs: () => 60_000 }));
    const client = await openClient();
    const impatient = codeOf(client.send('a', aKind({ waitMs: 200 }), BTC));
    const joined = client.send('a', KIND, BTC);
    expect(await impatient).toBe('late');
    // The record of the earlier request may be lost, so a new caller does not join it.
    const later = client.send('a', KIND, BTC);
    await until(() => started.length === 1);
    started[0]!.end();
    expect([await joined, await later]).toMatchObject([{ result: 7 }, { result: 7 }]);
    expect(started).toHaveLength(1);
  });

  it('does not end an equal later one if its own append fails after its caller has stopped waiting', async () => {
    const { log, codec } = role.context;
    const failAppend: ((error: Error) => void)[] = [];
    const append = () => new Promise<never>((_, reject) => failAppend.push(reject));
    const blocked = Object.create(log, { append: { value: append } }) as typeof log;
    const client = await openRequestClient({ log: blocked, codec, logger });
    closing.push(() => client.close());
    const impatient = aKind({ waitMs: 20 });
    expect(await codeOf(client.send('a', impatient, BTC))).toBe('late');
    const second = codeOf(client.send('a', KIND, BTC));
    failAppend[0]!(new Error('no broker'));
    await until(() => failAppend.length === 2);
    const third = codeOf(client.send('a', KIND, BTC));
    failAppend[1]!(new Error('no broker'));
    await Promise.all([second, third]);
    expect(failAppend).toHaveLength(2);
  });

  it('is served once by the next process if a process leaves it unanswered', async () => {
    const { started, run } = controlledRun();
    const client = await openClient();
    const first = await openServer(run);
    const sent = client.send('a', KIND, BTC);
    await until(() => started.length === 1);
    await first.close();
    expect([started[0]!.signal.aborted, await outcomes()]).toEqual([true, []]);
    const second = await openServer(async () => 8);
    expect(await sent).toMatchObject({ result: 8 });
    await second.close();
    let again = 0;
    await openServer(async () => {
      again += 1;
      return 9;
    });
    expect(await client.send('a', KIND, { coin: 'ETH' })).toMatchObject({ result: 9 });
    expect([again, (await outcomes()).length]).toEqual([1, 2]);
  });
});
