/** The real application, listening, with data of every kind, so that fuzzed requests reach handlers and rows. */
import { randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { parseToken } from '#infra/control/token';
import { SCOPES } from '#schemas/domain/control/state';
import type { PlanQuotas } from '#schemas/domain/quota/plan-quotas';
import { bookEventsTable } from '#schemas/tables/book-events';
import { candleBarsTable } from '#schemas/tables/candle-bars';
import { tradesTable } from '#schemas/tables/trades';
import { aCandle } from '#schemas/testing/records.fixture';
import { arbitrageHeadTopic, eventTopic, spreadHeadTopic } from '#schemas/topics/derived';
import { ledgerTopic } from '#schemas/topics/ledgers';
import { bookTopics, contextTopics, instrumentTopics, perpDexTopic, statusTopics } from '#schemas/topics/normalised';
import { CASES } from '../markets/family-cases.fixture.ts';
import { ROUTES } from '../routes/index.ts';
import { insertRows } from '../testing/insert-rows.fixture.ts';
import { ADDRESS, aLedgerRow } from '../testing/ledger-rows.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import {
  aMarket,
  anAnomaly,
  aPhase,
  aResolution,
  insertAnomalies,
  insertMarkets,
  insertPhases,
  insertResolutions,
} from '../testing/oracle.fixture.ts';
import {
  aBookUpdate,
  aContext,
  aLink,
  anArbitrage,
  anEvent,
  aPerpDex,
  applyRecord,
  aSpread,
  aTrade,
  NOON_MS,
} from '../testing/records.fixture.ts';
import { openTestService, type TestService } from '../testing/test-service.fixture.ts';
import { VIEWS, type Views } from '../views/views.ts';
import { WALLET_ID } from './good-values.fixture.ts';
import { type CallerKind, CREATED_ID, type Draft, encode, goodDraft, payloadOf } from './requests.fixture.ts';

/** A response that takes longer counts as missing. */
const HANG_MS = 15_000;
/** Larger bodies are injected without a connection: the server closes the connection while it refuses them. */
const SOCKET_BODY_MAX = 64 * 1024;
const CREATE_ATTEMPTS = 20;

type Inserter = Awaited<ReturnType<typeof openTestStore>>['store'];

const UNLIMITED = { minute: null, day: null };
const PER_SKU = {
  'markets.read': UNLIMITED,
  'api.request': UNLIMITED,
  'portfolio.read': UNLIMITED,
  'pnl.read': UNLIMITED,
  'ws.message': UNLIMITED,
};
const NO_QUOTAS: PlanQuotas = { free: PER_SKU, pro: PER_SKU, enterprise: PER_SKU };

/** A response with its uncompressed body. */
export interface ServedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface FuzzService {
  readonly app: TestService['app'];
  readonly host: string;
  readonly port: number;
  readonly admin: string;
  readonly logLines: readonly string[];
  /** Sends a request to a route with this path. Rejects if there is no response in time. */
  send(path: string, draft: Draft): Promise<ServedResponse>;
  close(): Promise<void>;
}

export async function openFuzzService(): Promise<FuzzService> {
  const { store, close: closeStore } = await openTestStore();
  const service = await openTestService({ store, quotas: NO_QUOTAS });
  fillViews(service.views);
  await fillStore(store);
  await followWallet(service, store);
  const sandbox = (await service.key(service.admin, SCOPES, true)).token;
  const { port } = new URL(await service.app.listen({ host: '127.0.0.1', port: 0 }));
  const agent = new Agent({ keepAlive: false });

  let session: Record<string, string> | null = null;
  const signIn = async () => {
    const signedIn = await service.request('POST', '/v1/session');
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0]!;
    const { body } = await service.request('GET', '/v1/session', { token: null, headers: { cookie } });
    return { cookie, 'x-parallax-csrf': body.csrf as string };
  };
  const credentials = async (caller: CallerKind): Promise<Record<string, string>> => {
    if (caller === 'token') return { authorization: `Bearer ${service.admin}` };
    if (caller === 'sandbox') return { authorization: `Bearer ${sandbox}` };
    session ??= await signIn();
    return session;
  };

  return {
    app: service.app,
    host: '127.0.0.1',
    port: Number(port),
    admin: service.admin,
    logLines: service.logLines,
    async send(path, draft) {
      const owner = draft.callerKind === 'sandbox' ? sandbox : service.admin;
      const url = await urlOf(service, owner, path, draft);
      const headers = { ...(await credentials(draft.callerKind)), ...draft.headers };
      if (path === '/v1/session' && draft.method === 'DELETE') session = null;
      const payload = payloadOf(draft);
      if (payload !== undefined && payload.length > SOCKET_BODY_MAX)
        return inject(service, draft.method, url, headers, payload);
      return overHttp({ agent, port, method: draft.method, path: url, headers, payload });
    },
    async close() {
      agent.destroy();
      await service.close();
      await closeStore();
    },
  };
}

/** The URL of a draft, with the id of a new resource in place of each `CREATED_ID`. */
async function urlOf(
  service: TestService,
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
    else if (params[name] === CREATED_ID) url += `/${await createResource(service, owner, declared, url)}`;
    else url += `/${encode(params[name]!)}`;
    declared += `/${part}`;
  }
  return query.length > 0 ? `${url}?${query.join('&')}` : url;
}

/** Creates a resource in a collection and returns its id; returns another id if the collection has no POST. */
async function createResource(service: TestService, owner: string, declared: string, url: string): Promise<string> {
  const route = ROUTES.find(({ method, path, body }) => method === 'POST' && path === declared && body);
  if (route)
    for (const { body } of fc.sample(goodDraft(route), CREATE_ATTEMPTS)) {
      const got = await service.request('POST', url, { token: owner, body });
      if (got.status < 300) return got.body.id;
      if (got.status === 403) break;
    }
  // If no more can be created, such as bindings of one wallet, the newest existing one is used.
  const { body } = await service.request('GET', url, { token: owner });
  const list = Object.values((body ?? {}) as object).find((value) => Array.isArray(value)) as
    | { id?: string }[]
    | undefined;
  return list?.at(-1)?.id ?? randomUUID();
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

async function inject(
  service: TestService,
  method: string,
  url: string,
  headers: Headers,
  payload: string | Buffer,
): Promise<ServedResponse> {
  const response = await withTimeout(
    service.app.inject({ method: method as 'GET', url, headers: { ...headers } as never, payload }),
  );
  return { status: response.statusCode, headers: response.headers as ServedResponse['headers'], text: response.body };
}

async function withTimeout<T>(response: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${HANG_MS} ms`)), HANG_MS);
  });
  return Promise.race([response, timeout]).finally(() => clearTimeout(timer));
}

interface HttpRequest {
  readonly agent: Agent;
  readonly port: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly payload: string | Buffer | undefined;
}

function overHttp({ agent, port, method, path, headers, payload }: HttpRequest): Promise<ServedResponse> {
  const length = payload === undefined ? {} : { 'content-length': Buffer.byteLength(payload) };
  const response = new Promise<ServedResponse>((resolve, reject) => {
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
  return withTimeout(response);
}

function decode(body: Buffer, encoding: string | undefined): string {
  if (body.length === 0 || encoding === undefined) return body.toString();
  if (encoding === 'gzip') return gunzipSync(body).toString();
  if (encoding === 'br') return brotliDecompressSync(body).toString();
  throw new Error(`an encoding that was not requested: ${encoding}`);
}

/** Markets of all families: those with all data, and those without figures and book. */
const COMPLETE = CASES.map(({ make }) => make());
const BARE = CASES.map(({ make, renamed }) => make({ index: 1, ...renamed }));

/** Adds the markets, two builder dexes, two events and a merged one. */
function fillViews({ events, coins, books, questionBooks }: Views): void {
  for (const instrument of [...COMPLETE, ...BARE])
    applyRecord(VIEWS.coins, coins, instrumentTopics.venue_a, instrument.coin, instrument);
  for (const [index, name] of ['orb', 'two'].entries())
    applyRecord(VIEWS.coins, coins, perpDexTopic, name, aPerpDex({ name, index }));
  for (const { coin, provider } of COMPLETE) {
    applyRecord(VIEWS.coins, coins, contextTopics.venue_a, coin, aContext({ coin, provider }));
    const book = aBookUpdate(30, { instrument: coin, provider, marketId: coin });
    applyRecord(VIEWS.books, books, bookTopics.venue_a, coin, book);
  }
  const outcome = aLink({ provider: 'venue_a_outcome', yesInstrument: '#10', noInstrument: null });
  const allEvents = [
    anEvent(),
    anEvent({ universalId: 'evt_2', links: [aLink(), outcome], underlying: null, resolutionTime: null }),
    anEvent({ universalId: 'evt_merged', mergedInto: 'evt_1' }),
  ];
  for (const event of allEvents) applyRecord(VIEWS.events, events, eventTopic, event.universalId, event);
  applyRecord(VIEWS.events, events, spreadHeadTopic, 'evt_1', aSpread());
  const question = aBookUpdate(0, { provider: 'venue_b', instrument: '111', bids: [{ price: '0.4', size: '5' }] });
  applyRecord(VIEWS.questionBooks, questionBooks, bookTopics.venue_b, '111', question);
  const status = { provider: 'venue_b', instrument: '111', marketId: '0xmarket', feed: 'f', state: 'live' as const };
  const since = { receivedAt: NOON_MS, since: NOON_MS };
  applyRecord(VIEWS.events, events, statusTopics.venue_b, '111', { ...status, ...since });
  applyRecord(VIEWS.events, events, arbitrageHeadTopic, 'evt_1:cross_provider', anArbitrage());
}

/** Binds a wallet whose account has a fill, and registers a builder. */
async function followWallet({ control, views, admin }: TestService, store: Inserter): Promise<void> {
  const orgId = control.state.firstOrganizationId!;
  const actor = { orgId, keyId: parseToken(admin)!.keyId, userId: 'admin', sandbox: false };
  const wallet = { walletId: WALLET_ID, provider: 'venue_b', address: ADDRESS, label: '' };
  const verdict = await control.submit('wallet.bind', { actor, ...wallet });
  if (!verdict.ok) throw new Error(verdict.message);
  const attribution = { attributionId: randomUUID(), provider: 'venue_a', builder: ADDRESS, label: '' };
  const registered = await control.submit('platform_attribution.create', { actor, ...attribution });
  if (!registered.ok) throw new Error(registered.message);
  const row = aLedgerRow(1);
  const { account, ledger, ts, id } = row;
  applyRecord(VIEWS.ledgers, views.ledgers, ledgerTopic, account, { account, ledger });
  await insertRows(store, bookEventsTable, [row]);
  await insertRows(store, tradesTable, [aTrade({ id, ts, taker: ADDRESS })]);
}

async function fillStore(store: Inserter): Promise<void> {
  const meta = { partition: 0, offset: 0, key: 'BTC', receivedAt: NOON_MS, seq: 1 };
  const trades = COMPLETE.map(({ coin, provider }) =>
    aTrade({ id: `${provider}:${coin}:1`, provider, instrument: coin, marketId: coin, tradeId: '1' }),
  );
  await store.insert(
    'trades',
    [aTrade(), ...trades].map((trade) => tradesTable.row(trade, { ...meta, topic: 'derived.trades.venue_a' })),
  );
  const candles = COMPLETE.map(({ coin, provider }) =>
    aCandle({ coin, provider, openTime: NOON_MS, receivedAt: NOON_MS + 1 }),
  );
  const ofEvent = {
    provider: 'venue_b',
    coin: '111',
    source: 'trades',
    open: '0.4',
    high: '0.5',
    low: '0.3',
    close: '0.4',
  };
  await store.insert(
    'candle_bars',
    [...candles, { ...candles[0]!, ...ofEvent }].map((bar) =>
      candleBarsTable.row(bar, { ...meta, topic: 'derived.candles' }),
    ),
  );
  await insertMarkets(store, 'venue_b', [aMarket()]);
  await insertPhases(store, [aPhase(), aPhase({ id: 'venue_b:0xt:2', logIndex: 2, phase: 'settle', price: null })]);
  await insertResolutions(store, [aResolution()]);
  await insertAnomalies(store, [anAnomaly(), anAnomaly({ id: 'an_2', bucketVol: null, raw: null })]);
}
