/**
 * Serves acquisitions: requests everything that the value of an account needs, and publishes it once it is complete
 * (contract, Money: accounts, reads, values). The whole weight is reserved before the first request.
 */
import type { Metrics } from '#infra/telemetry/metrics';
import { readVenueAAccount, type VenueAResponses } from '#schemas/domain/accounts/venue-a-account';
import { FieldError } from '#schemas/domain/json-fields';
import { ACCOUNT_STATES, type AcquisitionResult, venueAAcquisition } from '#schemas/requests/account-acquisition';
import { NODE_FEED } from '#schemas/venues/venue-a/node-requests';
import type { Budget } from '../../feed/budget.ts';
import { UpstreamError } from '../../feed/errors.ts';
import { HttpClient, type HttpClientOptions } from '../../feed/http-client.ts';
import { parseAnswer } from '../../feed/json.ts';
import { ReservedWeight } from '../../feed/reserved-weight.ts';
import type { Publisher } from '../../publisher/publisher.ts';
import { allOrNone } from '../../requests/all-or-none.ts';
import { countAcquisition, countExpired } from '../../requests/count-acquisition.ts';
import { readInTime } from '../../requests/read-in-time.ts';
import { defineHandler, type RequestContext, type RequestHandler } from '../../requests/request-handler.ts';
import { type Acquire, type AcquisitionTerms, SharedAcquisitions } from '../../requests/shared-acquisitions.ts';
import { ACQUISITIONS_RUNNING, READS_TOTAL_MS, READS_WAIT_MS, REST_PRIORITIES } from './declaration.ts';
import { DEXES_REQUEST, type DexList } from './dex-list.ts';
import type { NodeInfo } from './node-info.ts';
import { whileWaiting } from './waiting-reads.ts';

export interface AcquisitionsOptions {
  /** Complete URL of the venue's `info`. */
  readonly url: string;
  /** How requests to the venue are sent. */
  readonly http: Omit<HttpClientOptions, 'budget'>;
  readonly budget: Budget;
  /** Null without a self-hosted node. */
  readonly node: Pick<NodeInfo, 'read'> | null;
  readonly dexes: DexList;
  readonly metrics: Pick<Metrics, 'accountAcquisitions'>;
  readonly publisher: Pick<Publisher, 'receive' | 'whenReady'>;
  /** Source of the raw records, and feed of those that the venue answered. */
  readonly feed: string;
}

/** A request of an acquisition. */
interface Part {
  readonly type: string;
  readonly body: string;
  readonly weight: number;
}

interface Response {
  readonly part: Part;
  readonly payload: Buffer;
  readonly feed: string;
}

const LIGHT_WEIGHT = 2;
const OTHER_WEIGHT = 20;

/**
 * Weight of an acquisition: what is reserved for it, and what it costs once it has ended. A node serves all but the account
 * mode.
 */
export function acquisitionWeight(dexes: readonly string[], hasNode: boolean): { reserved: number; spent: number } {
  const reserved = weightOf(partsOf('', dexes));
  return { reserved, spent: hasNode ? OTHER_WEIGHT : reserved };
}

export interface Acquisitions {
  /** Serve the acquisitions that reads of clients cause, and those with what the venue sent. */
  readonly handlers: readonly RequestHandler[];
  readonly acquire: Acquire;
}

export function createAcquisitions(options: AcquisitionsOptions): Acquisitions {
  const { budget, dexes, publisher, metrics } = options;
  const waiting = whileWaiting(budget, ({ address }: { address: string }) => weightOf(partsOf(address, dexes.names())));
  const shared = new SharedAcquisitions();
  const acquire: Acquire = async (address, terms) => {
    // Neither the responses nor the outcome could be published while the log accepts nothing.
    await publisher.whenReady(terms.signal);
    return (
      shared.current(address, terms.fresh) ??
      countAcquisition(metrics, 'venue_a', terms.cause, () => acquireOnce(options, shared, address, terms))
    );
  };
  const acquireForRead = (address: string, fresh: boolean, context: RequestContext) =>
    readInTime(context.requestedAt + READS_TOTAL_MS, context.signal, (inTime) =>
      acquire(address, {
        cause: 'read',
        priority: REST_PRIORITIES.reads,
        payers: context.orgIds,
        roomUntil: context.requestedAt + READS_WAIT_MS,
        signal: inTime,
        fresh,
      }),
    );
  const served = {
    running: ACQUISITIONS_RUNNING,
    expiresAfterMs: READS_WAIT_MS,
    onJoin: waiting.onJoin,
    expiredBecause: (params: { readonly address: string }, orgId: string) =>
      countExpired(metrics, 'venue_a', waiting.expiredBecause(params, orgId)),
  };
  const handler = defineHandler({
    kind: venueAAcquisition,
    ...served,
    run: async ({ address }, context) => {
      const { publishedAt } = await acquireForRead(address, false, context);
      return { publishedAt };
    },
  });
  const stateHandler = defineHandler({
    kind: ACCOUNT_STATES.venue_a,
    ...served,
    run: ({ address, fresh }, context) => acquireForRead(address, fresh, context),
  });
  return { handlers: [handler, stateHandler], acquire };
}

async function acquireOnce(
  options: AcquisitionsOptions,
  shared: SharedAcquisitions,
  address: string,
  terms: AcquisitionTerms,
): Promise<AcquisitionResult> {
  const { budget, dexes } = options;
  // A list that is too old is requested first; the state of a dex that it adds waits for room of its own.
  const weight = weightOf(partsOf(address, dexes.names())) + (dexes.isRecent() ? 0 : OTHER_WEIGHT);
  const reserved = await ReservedWeight.open(budget, weight, terms);
  try {
    return await shared.run(
      address,
      () =>
        readInTime(Date.now() + READS_TOTAL_MS, terms.signal, (signal) =>
          readAndPublish(options, reserved, address, { ...terms, signal }),
        ),
      terms.fresh,
    );
  } finally {
    reserved.settle();
  }
}

async function readAndPublish(
  options: AcquisitionsOptions,
  reserved: ReservedWeight,
  address: string,
  { cause: _cause, fresh: _fresh, ...spend }: AcquisitionTerms,
): Promise<AcquisitionResult> {
  const { dexes, http } = options;
  const { signal } = spend;
  const client = new HttpClient({ ...http, budget: reserved });
  const send = async (part: Part, until: AbortSignal): Promise<Response> => {
    const request = { url: options.url, body: part.body, weight: part.weight, ...spend, signal: until };
    return { part, payload: await client.send(request), feed: options.feed };
  };
  if (!dexes.isRecent())
    await dexes.renew(async () => {
      const list = await send({ type: 'perpDexs', body: DEXES_REQUEST, weight: OTHER_WEIGHT }, signal);
      dexes.set(list.payload);
      publish(options, [list]);
    });
  let responses: Response[];
  let names: readonly string[];
  do {
    names = dexes.names();
    const [mode, ...others] = partsOf(address, names);
    const read = await allOrNone<Response[]>(
      [async (until) => [await send(mode!, until)], (until) => readOthers(options, others, send, until)],
      signal,
    );
    responses = read.flat();
    // The normaliser waits for the state of each dex that is listed when it receives the responses.
  } while (names.join() !== dexes.names().join());
  check(responses);
  const publishedAt = Date.now();
  publish(options, responses);
  // The first state is that of the main dex.
  const main = responses.find(({ part }) => part.type === 'clearinghouseState')!;
  return { publishedAt, native: [main.payload.toString()] };
}

/** Reads everything from the node, or everything from the venue if the node does not answer all of it. */
async function readOthers(
  { node }: AcquisitionsOptions,
  parts: readonly Part[],
  send: (part: Part, signal: AbortSignal) => Promise<Response>,
  signal: AbortSignal,
): Promise<Response[]> {
  const payloads = node ? await Promise.all(parts.map(({ body }) => node.read(body, signal))) : [];
  if (node && payloads.every((payload) => payload !== null))
    return parts.map((part, at) => ({ part, payload: payloads[at]!, feed: NODE_FEED }));
  return allOrNone(
    parts.map((part) => (until: AbortSignal) => send(part, until)),
    signal,
  );
}

/** The account mode, which only the venue answers, and then all that a node can serve. */
function partsOf(user: string, dexes: readonly string[]): Part[] {
  const part = (type: string, weight: number, dex = '') => ({
    type,
    body: JSON.stringify({ type, user, ...(dex === '' ? {} : { dex }) }),
    weight,
  });
  return [
    part('userAbstraction', OTHER_WEIGHT),
    ...['', ...dexes].map((dex) => part('clearinghouseState', LIGHT_WEIGHT, dex)),
    part('spotClearinghouseState', LIGHT_WEIGHT),
    part('userVaultEquities', OTHER_WEIGHT),
    part('delegatorSummary', OTHER_WEIGHT),
  ];
}

const weightOf = (parts: readonly Part[]): number => parts.reduce((sum, { weight }) => sum + weight, 0);

/** Throws `upstream_malformed` if a response lacks a figure that the value needs. */
function check(responses: readonly Response[]): void {
  const parsed = responses.map(({ part, payload }) => ({ part, body: parseAnswer(payload, part.type) }));
  const bodyOf = (type: string) => parsed.find(({ part }) => part.type === type)?.body;
  const states = parsed.filter(({ part }) => part.type === 'clearinghouseState');
  const account: VenueAResponses = {
    userAbstraction: bodyOf('userAbstraction'),
    clearinghouseStates: new Map(states.map(({ part, body }) => [JSON.parse(part.body).dex ?? '', body])),
    spotClearinghouseState: bodyOf('spotClearinghouseState'),
    userVaultEquities: bodyOf('userVaultEquities'),
    delegatorSummary: bodyOf('delegatorSummary'),
  };
  try {
    readVenueAAccount(account);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw new UpstreamError('upstream_malformed', error.message, { cause: error });
  }
}

function publish({ publisher, feed: source }: AcquisitionsOptions, responses: readonly Response[]): void {
  for (const { part, payload, feed } of responses) publisher.receive({ source, feed, request: part.body, payload });
}
