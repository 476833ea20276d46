/**
 * Requests the ledger updates of followed accounts: all of them after the binding, then what is new, once an hour after
 * the snapshots and when a read needs them. The responses are published like all others; the stage `series` states how far
 * they reach.
 */
import { pause } from '#infra/runtime/pause';
import { TopicFollower } from '#infra/stages/topic-follower';
import { INTERVALS } from '#schemas/domain/candles/sources';
import { accountFlowsRead } from '#schemas/requests/account-flows';
import { flowCoverageTopics } from '#schemas/topics/account-flows';
import { accountName } from '#schemas/venues/accounts';
import { snapshotRequest } from '#schemas/venues/venue-a/candle-snapshot';
import { LEDGER_UPDATES, LEDGER_UPDATES_OF_PAGE, ledgerUpdatesRequest } from '#schemas/venues/venue-a/ledger-updates';
import { priceInterval } from '#schemas/venues/venue-a/price-bars';
import { UpstreamError } from '../../../feed/errors.ts';
import { parseAnswer } from '../../../feed/json.ts';
import { readInTime } from '../../../requests/read-in-time.ts';
import { defineHandler, type RequestHandler } from '../../../requests/request-handler.ts';
import type { AdapterContext } from '../../adapter.ts';
import { READS_RUNNING, READS_TOTAL_MS, READS_WAIT_MS, REST_PRIORITIES } from '../declaration.ts';
import { rowsWeight } from '../info-weight.ts';
import { type FlowRequest, FlowRequests } from './flow-requests.ts';

const TOPIC = flowCoverageTopics.venue_a;
/** Time between two looks for a request that is due. */
const INTERVAL_MS = 1_000;
/** Requests at once. They wait for room within the limits. */
const RUNNING = 2;
/** Weight of a request for one bar: 20, and 1 for the bars. */
const BAR_WEIGHT = 21;

/** The weight, priority and payers of one request, and until when it waits for room. */
export interface FlowRequestCost {
  readonly priority: number;
  readonly weight: number;
  readonly weightOf?: (response: Buffer) => number;
  readonly payers?: ReadonlySet<string>;
  readonly roomUntil?: number;
}

export interface FlowRequestOptions {
  readonly context: Pick<AdapterContext, 'log' | 'codec' | 'logger'>;
  /** Sends a request with this JSON text, and publishes the response. */
  readonly send: (request: string, signal: AbortSignal, cost: FlowRequestCost) => Promise<unknown>;
  readonly now?: () => number;
  /** How it waits between two looks. */
  readonly wait?: typeof pause;
}

export interface RunningFlowRequests {
  /** Serves reads that need newer flows than the log has. */
  readonly handler: RequestHandler;
  close(): Promise<void>;
}

/** Runs until it is closed. Close it before the publisher. */
export async function startFlowRequests(options: FlowRequestOptions): Promise<RunningFlowRequests> {
  const { context } = options;
  const { log, codec } = context;
  await log.createTopics([TOPIC]);
  await codec.prepare([TOPIC]);
  const requests = new FlowRequests();
  const { first } = await log.bounds({ topic: TOPIC.name, partition: 0 });
  const follower = new TopicFollower(context, {
    topic: TOPIC,
    part: 'flows of accounts',
    from: first,
    handle: (coverage) => requests.record(coverage),
    onRemoved: (account) => requests.forget(account),
  });
  await follower.catchUp();
  await follower.start();
  const running = Promise.all(Array.from({ length: RUNNING }, () => requestInTurn(options, requests, follower.signal)));
  return {
    handler: createFlowReads(options, requests),
    close: async () => {
      await follower.close();
      await running;
    },
  };
}

async function requestInTurn(options: FlowRequestOptions, requests: FlowRequests, signal: AbortSignal): Promise<void> {
  const { wait = pause, now = Date.now } = options;
  while (await wait(INTERVAL_MS, signal))
    for (let next = requests.next(now()); next && !signal.aborted; next = requests.next(now()))
      await requestOne(options, requests, next, signal);
}

async function requestOne(
  { context, send, now = Date.now }: FlowRequestOptions,
  requests: FlowRequests,
  request: FlowRequest,
  signal: AbortSignal,
): Promise<void> {
  requests.begin(request);
  const priority = REST_PRIORITIES.others;
  try {
    if ('coin' in request) await send(priceRequest(request, now()), signal, { priority, weight: BAR_WEIGHT });
    else await send(updatesRequest(request.account, request.from), signal, { priority, ...UPDATES_COST });
    requests.answered(request, now());
  } catch (error) {
    if (signal.aborted) return;
    requests.failed(request, now());
    // The venue may be away for long, and the request is repeated.
    const level = error instanceof UpstreamError ? 'debug' : 'error';
    context.logger[level]({ error, ...request }, 'could not request the flows of an account, retrying');
  }
}

const UPDATES_COST = {
  weight: rowsWeight(LEDGER_UPDATES_OF_PAGE),
  weightOf: (response: Buffer) => {
    const rows = parseAnswer(response, LEDGER_UPDATES);
    return rowsWeight(Array.isArray(rows) ? rows.length : 0);
  },
};

const updatesRequest = (account: string, from: number): string =>
  JSON.stringify(ledgerUpdatesRequest(account.slice(accountName('venue_a', '').length), from));

/** Requests the bar that contains a time. */
function priceRequest({ coin, ts }: { readonly coin: string; readonly ts: number }, now: number): string {
  const interval = priceInterval(now - ts);
  const start = Math.floor(ts / INTERVALS[interval]) * INTERVALS[interval];
  return JSON.stringify(snapshotRequest(coin, interval, start, start + INTERVALS[interval], now));
}

/** The request continues where the log ends, so its response can be processed. */
function createFlowReads({ send }: FlowRequestOptions, requests: FlowRequests): RequestHandler {
  return defineHandler({
    kind: accountFlowsRead,
    running: READS_RUNNING,
    expiresAfterMs: READS_WAIT_MS,
    run: ({ address }, { signal, requestedAt, orgIds: payers }) =>
      readInTime(requestedAt + READS_TOTAL_MS, signal, async (inTime) => {
        const account = accountName('venue_a', address);
        const from = requests.fromOf(account);
        if (from === null) throw new UpstreamError('upstream_unavailable', 'the account is not followed');
        const terms = { priority: REST_PRIORITIES.reads, payers, roomUntil: requestedAt + READS_WAIT_MS };
        await send(updatesRequest(account, from), inTime, { ...terms, ...UPDATES_COST });
        return { publishedAt: Date.now() };
      }),
  });
}
