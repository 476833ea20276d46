import { afterEach, describe, expect, it } from 'vitest';
import { createMetrics } from '#infra/telemetry/metrics';
import { accountResponses } from '#schemas/domain/accounts/accounts.fixture';
import type { AcquisitionResult } from '#schemas/requests/account-acquisition';
import { Budget } from '../../feed/budget.ts';
import { type Answer, startHttpServer } from '../../testing/http-server.fixture.ts';
import { createAcquisitions } from './acquisitions.ts';
import { REST_PRIORITIES } from './declaration.ts';
import { DexList } from './dex-list.ts';
import type { NodeInfo } from './node-info.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const USER = `0x${'a'.repeat(40)}`;
const LISTED = Buffer.from(JSON.stringify([null, { name: 'xyz' }]));
/** 20 for the mode, 2 for each of two dexes and for spot, 20 for vaults and for stakes. */
const WEIGHT = 66;
const RESPONSES = accountResponses({ mode: 'unifiedAccount', vaults: ['1.5'] });

/** What a venue answers to a request. */
function answerTo(body: string): Answer {
  const { type } = JSON.parse(body);
  if (type === 'perpDexs') return { body: LISTED.toString() };
  const states = { ...RESPONSES, clearinghouseState: RESPONSES.clearinghouseStates.get('') };
  return { body: JSON.stringify(states[type as keyof typeof states]) };
}

interface SetUp {
  readonly answer?: (body: string) => Answer;
  readonly node?: Pick<NodeInfo, 'read'> | null;
  readonly weight?: number;
  readonly isListed?: boolean;
}

async function setUp({ answer = answerTo, node = null, weight = 1_000, isListed = true }: SetUp = {}) {
  const server = await startHttpServer(({ body }) => answer(body));
  closing.push(() => server.close());
  const reserved = { priority: REST_PRIORITIES.reads, cost: weight / 2, spare: 0 };
  const budget = new Budget({ max: weight, windowMs: 60_000, reserved });
  const published: { feed: string; request: string; payload: string }[] = [];
  const dexes = new DexList();
  const metrics = createMetrics();
  if (isListed) dexes.set(LISTED);
  const { handlers, ...acquisitions } = createAcquisitions({
    url: server.url,
    http: { counter: { source: 'venue_a.info', metrics }, retries: 'reads', timeoutMs: 1_000 },
    budget,
    node,
    dexes,
    metrics,
    publisher: {
      whenReady: async () => {},
      receive: ({ feed, request, payload }: { feed: string; request?: string; payload: unknown }) =>
        void published.push({ feed, request: request!, payload: String(payload) }),
    } as never,
    feed: 'venue_a.info',
  });
  const handler = handlers[0]!;
  const acquire = (agoMs = 0, state: { readonly fresh: boolean } | null = null) =>
    (state ? handlers[1]! : handler).run(
      { address: USER, ...state },
      { signal: new AbortController().signal, orgIds: new Set(['org']), requestedAt: Date.now() - agoMs },
    ) as Promise<AcquisitionResult>;
  const requested = () => server.requests.map(({ body }) => JSON.parse(body));
  const outcomes = async () => (await metrics.accountAcquisitions.get()).values.map(({ labels }) => labels.outcome);
  return { acquire, acquireAs: acquisitions.acquire, handler, budget, published, requested, dexes, outcomes };
}

const typesOf = (published: readonly { request: string }[]) => published.map(({ request }) => JSON.parse(request).type);
const ALL = [
  'userAbstraction',
  'clearinghouseState',
  'clearinghouseState',
  'spotClearinghouseState',
  'userVaultEquities',
  'delegatorSummary',
];

describe('an acquisition of venue_a', () => {
  it('is returned with the state of the main dex to whoever asks for it, and repeated for a fresh one', async () => {
    const { acquire, requested, published } = await setUp();
    const acquired = await acquire();
    expect(Object.keys(acquired)).toEqual(['publishedAt']);
    const state = await acquire(0, { fresh: false });
    expect(state).toEqual({ ...acquired, native: [published[1]!.payload] });
    expect(JSON.parse(published[1]!.request)).toEqual({ type: 'clearinghouseState', user: USER });
    expect(requested()).toHaveLength(6);
    await acquire(0, { fresh: true });
    expect(requested()).toHaveLength(12);
  });

  it('requests everything once and publishes the bytes, when all are there', async () => {
    const { acquire, budget, published, requested } = await setUp();
    const before = Date.now();
    const { publishedAt } = await acquire();
    expect(publishedAt).toBeGreaterThanOrEqual(before);
    expect(typesOf(published)).toEqual(ALL);
    expect(published[0]).toEqual({
      feed: 'venue_a.info',
      request: JSON.stringify({ type: 'userAbstraction', user: USER }),
      payload: '"unifiedAccount"',
    });
    expect(JSON.parse(published[2]!.request)).toEqual({ type: 'clearinghouseState', user: USER, dex: 'xyz' });
    expect(requested()).toHaveLength(6);
    expect(budget.used).toBe(WEIGHT);
  });

  it('reserves its whole weight before the first request', async () => {
    const { acquire, budget, requested, outcomes } = await setUp({ weight: 100 });
    await budget.acquire(100 - WEIGHT + 1);
    await expect(acquire(9_900)).rejects.toMatchObject({ code: 'upstream_rate_limited', status: null });
    expect(requested()).toEqual([]);
    expect(await outcomes()).toEqual(['no_room']);
  });

  it('is shared by a read and a snapshot, while it runs and for 15 s after its end', async () => {
    const { acquire, acquireAs, budget, published, outcomes } = await setUp();
    const asSnapshot = () =>
      acquireAs(USER, {
        cause: 'snapshot',
        priority: REST_PRIORITIES.snapshots,
        roomUntil: Date.now() + 60_000,
        signal: new AbortController().signal,
      });
    const [snapshot, read] = await Promise.all([asSnapshot(), acquire()]);
    const { publishedAt } = snapshot;
    expect(read).toEqual({ publishedAt });
    expect(await acquire()).toEqual({ publishedAt });
    expect(published).toHaveLength(6);
    expect(budget.used).toBe(WEIGHT);
    expect(await outcomes()).toContain('complete');
  });

  it('is counted if it waited too long for its turn, for lack of weight or for the venue', async () => {
    const { handler, budget, outcomes } = await setUp({ weight: 100 });
    const expire = () => handler.expiredBecause!({ address: USER }, 'org');
    expire();
    expect(await outcomes()).toEqual(['failed']);
    await budget.acquire(100 - WEIGHT + 1);
    expire();
    expect(await outcomes()).toEqual(['failed', 'no_room']);
  });

  it('requests the list of dexes first if none is recent, and publishes it', async () => {
    const { acquire, budget, published } = await setUp({ isListed: false });
    await acquire();
    expect(typesOf(published)).toEqual(['perpDexs', ...ALL]);
    expect(budget.used).toBe(WEIGHT + 20);
  });

  it('requests the list of dexes once for all that need it at the same time', async () => {
    const { acquireAs, published } = await setUp({ isListed: false });
    const terms = { cause: 'read', priority: REST_PRIORITIES.reads, roomUntil: Date.now() + 10_000 } as const;
    const users = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`);
    await Promise.all(users.map((user) => acquireAs(user, { ...terms, signal: new AbortController().signal })));
    expect(typesOf(published).filter((type) => type === 'perpDexs')).toHaveLength(1);
    expect(published).toHaveLength(1 + 3 * ALL.length);
  });

  it('reads all but the mode from the node, which costs no weight', async () => {
    const node = { read: async (body: string) => Buffer.from(answerTo(body).body!) };
    const { acquire, budget, published, requested } = await setUp({ node });
    await acquire();
    expect(requested().map(({ type }) => type)).toEqual(['userAbstraction']);
    expect(published.map(({ feed }) => feed)).toEqual(['venue_a.info', ...Array(5).fill('venue_a.node')]);
    expect(budget.used).toBe(20);
  });

  it('reads everything from the venue if the node does not answer all of it', async () => {
    const node = {
      read: async (body: string) => (body.includes('delegatorSummary') ? null : Buffer.from(answerTo(body).body!)),
    };
    const { acquire, published, requested } = await setUp({ node });
    await acquire();
    expect(requested()).toHaveLength(6);
    expect(published.every(({ feed }) => feed === 'venue_a.info')).toBe(true);
  });

  it.each([
    ['lacks a figure', 'delegatorSummary', { body: '{"delegated":"1"}' }, 'upstream_malformed'],
    ['is null', 'clearinghouseState', { body: 'null' }, 'upstream_malformed'],
    ['names an unknown mode', 'userAbstraction', { body: '"newMode"' }, 'upstream_malformed'],
    ['is cut off', 'spotClearinghouseState', { body: '{"balances":[' }, 'upstream_malformed'],
    ['is refused', 'userVaultEquities', { status: 422, body: 'no' }, 'upstream_rejected'],
    ['is rate-limited', 'userVaultEquities', { status: 429, headers: { 'retry-after': '3' } }, 'upstream_rate_limited'],
  ])('publishes nothing if a response %s', async (_, type, answer: Answer, code) => {
    const { acquire, published, outcomes } = await setUp({
      answer: (body) => (JSON.parse(body).type === type ? answer : answerTo(body)),
    });
    await expect(acquire()).rejects.toMatchObject({ code });
    expect(published).toEqual([]);
    expect(await outcomes()).toEqual(['failed']);
  });

  it('starts again if a dex was listed meanwhile', async () => {
    const listedMeanwhile = Buffer.from(JSON.stringify([null, { name: 'xyz' }, { name: 'flx' }]));
    let list: DexList | null = null;
    const { acquire, published, dexes, outcomes } = await setUp({
      answer: (body) => {
        if (body.includes('delegatorSummary')) list?.set(listedMeanwhile);
        return answerTo(body);
      },
    });
    list = dexes;
    await acquire();
    expect(typesOf(published).filter((type) => type === 'clearinghouseState')).toHaveLength(3);
    expect(await outcomes()).toEqual(['complete']);
  });

  it('repeats a request that failed, and pays for it', async () => {
    let failures = 1;
    const { acquire, budget } = await setUp({
      answer: (body) => (body.includes('delegatorSummary') && failures-- > 0 ? { status: 503 } : answerTo(body)),
    });
    await acquire();
    expect(budget.used).toBe(WEIGHT + 20);
  });
});
