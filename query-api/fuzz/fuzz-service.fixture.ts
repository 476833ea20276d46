/** The real application with something of everything in it, listening, so that fuzzed requests reach handlers and rows. */
import { randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { SCOPES } from '#schemas/domain/control/state';
import type { PlanQuotas } from '#schemas/domain/quota/plan-quotas';
import { candlesTable } from '#schemas/tables/candles';
import { tradesTable } from '#schemas/tables/trades';
import { arbitrageHeadTopic, eventTopic, spreadHeadTopic } from '#schemas/topics/derived';
import { bookTopics, contextTopics, instrumentTopics } from '#schemas/topics/normalised';
import { ROUTES } from '../routes/index.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import {
  aMarket,
  anAnomaly,
  aPhase,
  aResolution,
  keepAnomalies,
  keepMarkets,
  keepPhases,
  keepResolutions,
} from '../testing/oracle.fixture.ts';
import {
  aBookUpdate,
  aContext,
  aLink,
  anArbitrage,
  anEvent,
  anInstrument,
  aSpread,
  aTrade,
  feed,
  NOON_MS,
} from '../testing/records.fixture.ts';
import { type AppWorld, openAppWorld } from '../testing/world.fixture.ts';
import { VIEWS, type Views } from '../views/views.ts';
import { type Asker, type Draft, encode, goodDraft, MADE, payloadOf } from './requests.fixture.ts';

/** An answer that takes longer counts as none. */
const HANG_MS = 15_000;
/** The server ends the connection under a body that it refuses; larger ones go in without one. */
const SOCKET_BODY_MAX = 64 * 1024;
const TRIES_TO_MAKE = 20;

const UNLIMITED = { minute: null, day: null };
const PER_SKU = {
  'markets.read': UNLIMITED,
  'api.request': UNLIMITED,
  'portfolio.read': UNLIMITED,
  'pnl.read': UNLIMITED,
  'ws.message': UNLIMITED,
};
const NO_QUOTAS: PlanQuotas = { free: PER_SKU, pro: PER_SKU, enterprise: PER_SKU };

/** What came back, its body uncompressed. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface FuzzWorld {
  readonly app: AppWorld['app'];
  readonly host: string;
  readonly port: number;
  readonly admin: string;
  readonly logged: readonly string[];
  /** Sends a request to a route of this path. Rejects when no answer comes in time. */
  send(path: string, draft: Draft): Promise<Answered>;
  close(): Promise<void>;
}

export async function openFuzzWorld(): Promise<FuzzWorld> {
  const { store, close: closeStore } = await openTestStore();
  const world = await openAppWorld({ store, quotas: NO_QUOTAS });
  fillViews(world.views);
  await fillStore(store);
  const sandbox = (await world.key(world.admin, SCOPES, true)).token;
  const { port } = new URL(await world.app.listen({ host: '127.0.0.1', port: 0 }));
  const agent = new Agent({ keepAlive: false });

  let session: Record<string, string> | null = null;
  const signIn = async () => {
    const signedIn = await world.ask('POST', '/v1/session');
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0]!;
    const { body } = await world.ask('GET', '/v1/session', { token: null, headers: { cookie } });
    return { cookie, 'x-parallax-csrf': body.csrf as string };
  };
  const credentials = async (asker: Asker): Promise<Record<string, string>> => {
    if (asker === 'token') return { authorization: `Bearer ${world.admin}` };
    if (asker === 'sandbox') return { authorization: `Bearer ${sandbox}` };
    session ??= await signIn();
    return session;
  };

  return {
    app: world.app,
    host: '127.0.0.1',
    port: Number(port),
    admin: world.admin,
    logged: world.logged,
    async send(path, draft) {
      const owner = draft.asker === 'sandbox' ? sandbox : world.admin;
      const url = await urlOf(world, owner, path, draft);
      const headers = { ...(await credentials(draft.asker)), ...draft.headers };
      if (path === '/v1/session' && draft.method === 'DELETE') session = null;
      const payload = payloadOf(draft);
      if (payload !== undefined && payload.length > SOCKET_BODY_MAX)
        return inject(world, draft.method, url, headers, payload);
      return overHttp({ agent, port, method: draft.method, path: url, headers, payload });
    },
    async close() {
      agent.destroy();
      await world.close();
      await closeStore();
    },
  };
}

/** The URL of a draft, with an id of a thing in place of each `MADE`. */
async function urlOf(
  world: AppWorld,
  owner: string,
  path: string,
  { params, segments, query }: Draft,
): Promise<string> {
  let url = '';
  let declared = '';
  for (const part of path.split('/').slice(1)) {
    const name = part.startsWith(':') ? part.slice(1) : null;
    if (name === null) url += `/${part}`;
    else if (segments[name] !== undefined) url += `/${segments[name]}`;
    else if (params[name] === MADE) url += `/${await make(world, owner, declared, url)}`;
    else url += `/${encode(params[name]!)}`;
    declared += `/${part}`;
  }
  return query.length > 0 ? `${url}?${query.join('&')}` : url;
}

/** The id of a new thing of a collection; any id where nothing is made by a POST to it. */
async function make(world: AppWorld, owner: string, declared: string, url: string): Promise<string> {
  const route = ROUTES.find(({ method, path, body }) => method === 'POST' && path === declared && body);
  if (route)
    for (const { body } of fc.sample(goodDraft(route), TRIES_TO_MAKE)) {
      const got = await world.ask('POST', url, { token: owner, body });
      if (got.status < 300) return got.body.id;
      if (got.status === 403) break;
    }
  // Of what there may be but so many, as bindings of one wallet, the newest that there is.
  const { body } = await world.ask('GET', url, { token: owner });
  const list = Object.values((body ?? {}) as object).find((value) => Array.isArray(value)) as
    | { id?: string }[]
    | undefined;
  return list?.at(-1)?.id ?? randomUUID();
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

async function inject(
  world: AppWorld,
  method: string,
  url: string,
  headers: Headers,
  payload: string | Buffer,
): Promise<Answered> {
  const answer = await inTime(
    world.app.inject({ method: method as 'GET', url, headers: { ...headers } as never, payload }),
  );
  return { status: answer.statusCode, headers: answer.headers as Answered['headers'], text: answer.body };
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${HANG_MS} ms`)), HANG_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

interface Sending {
  readonly agent: Agent;
  readonly port: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly payload: string | Buffer | undefined;
}

function overHttp({ agent, port, method, path, headers, payload }: Sending): Promise<Answered> {
  const length = payload === undefined ? {} : { 'content-length': Buffer.byteLength(payload) };
  const answer = new Promise<Answered>((resolve, reject) => {
    const request = httpRequest(
      { agent, host: '127.0.0.1', port, method, path, headers: { ...headers, ...length } as never },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          try {
            const encoding = response.headers['content-encoding'];
            const text = decode(Buffer.concat(chunks), encoding);
            resolve({ status: response.statusCode!, headers: response.headers, text });
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    request.on('error', reject);
    request.end(payload);
  });
  return inTime(answer);
}

function decode(body: Buffer, encoding: string | undefined): string {
  if (body.length === 0 || encoding === undefined) return body.toString();
  if (encoding === 'gzip') return gunzipSync(body).toString();
  if (encoding === 'br') return brotliDecompressSync(body).toString();
  throw new Error(`an encoding that nobody asked for: ${encoding}`);
}

/** BTC with everything, ETH without figures and books; two events and one that was merged. */
function fillViews({ events, coins, books }: Views): void {
  for (const [index, coin] of ['BTC', 'ETH'].entries())
    feed(VIEWS.coins, coins, instrumentTopics.venue_a, coin, anInstrument({ coin, index }));
  feed(VIEWS.coins, coins, contextTopics.venue_a, 'BTC', aContext());
  feed(VIEWS.books, books, bookTopics.venue_a, 'BTC', aBookUpdate(30));
  const outcome = aLink({ provider: 'venue_a_outcome', yesInstrument: '#10', noInstrument: null });
  const told = [
    anEvent(),
    anEvent({ universalId: 'evt_2', links: [aLink(), outcome], underlying: null, resolutionTime: null }),
    anEvent({ universalId: 'evt_merged', mergedInto: 'evt_1' }),
  ];
  for (const event of told) feed(VIEWS.events, events, eventTopic, event.universalId, event);
  feed(VIEWS.events, events, spreadHeadTopic, 'evt_1', aSpread());
  feed(VIEWS.events, events, arbitrageHeadTopic, 'evt_1:cross_provider', anArbitrage());
}

async function fillStore(store: Awaited<ReturnType<typeof openTestStore>>['store']): Promise<void> {
  const meta = { partition: 0, offset: 0, key: 'BTC', receivedAt: NOON_MS, seq: 1 };
  const ofCoin = {
    id: 'venue_a_perp:BTC:1',
    provider: 'venue_a_perp',
    instrument: 'BTC',
    marketId: 'BTC',
    tradeId: '1',
  } as const;
  await store.insert(
    'trades',
    [aTrade(), aTrade(ofCoin)].map((trade) => tradesTable.row(trade, { ...meta, topic: 'derived.trades.venue_a' })),
  );
  const candle = {
    provider: 'venue_a_perp' as const,
    coin: 'BTC',
    openTime: NOON_MS,
    receivedAt: NOON_MS + 1,
    open: '100',
    high: '200',
    low: '50',
    close: '101',
    volume: '0.1',
    trades: 1,
    source: 'venue_node',
  };
  await store.insert('candles', [candlesTable.row(candle, { ...meta, topic: 'derived.candles' })]);
  await keepMarkets(store, 'venue_b', [aMarket()]);
  await keepPhases(store, [aPhase(), aPhase({ id: 'venue_b:0xt:2', logIndex: 2, phase: 'settle', price: null })]);
  await keepResolutions(store, [aResolution()]);
  await keepAnomalies(store, [anAnomaly(), anAnomaly({ id: 'an_2', bucketVol: null, raw: null })]);
}
