/**
 * Requests the fills of followed accounts: their whole history after the first binding, then what is new. The responses
 * are published like all others; the stage `ledgers` states how far they reach, and that determines the next request.
 */
import type { Running } from '#infra/runtime/context';
import { pause } from '#infra/runtime/pause';
import { TopicFollower } from '#infra/stages/topic-follower';
import { fillLoadTopic } from '#schemas/topics/account-fills';
import { FILLS_OF_PAGE, fillRequest } from '#schemas/venues/venue-a/fills';
import { UpstreamError } from '../../../feed/errors.ts';
import { parseAnswer } from '../../../feed/json.ts';
import type { AdapterContext } from '../../adapter.ts';
import { REST_PRIORITIES } from '../declaration.ts';
import { rowsWeight } from '../info-weight.ts';
import { type FillRequest, FillRequests } from './fill-requests.ts';
import type { RecentAccounts } from './recent-accounts.ts';

/** Time between two looks for requests that are due; the end of each request is one, too. */
const INTERVAL_MS = 250;
/** Requests at once, which wait for room within the limits. */
const RUNNING = 4;
/** Requests at once for accounts that no trade named: they can wait for long, and those of traded accounts do not wait for them. */
const UNTRADED_RUNNING = 3;

/** The weight and priority of one request. */
export interface RequestCost {
  readonly priority: number;
  readonly weight: number;
  readonly weightOf: (response: Buffer) => number;
  /** Called when there is room for the request, and it is sent. */
  readonly onSend: () => void;
}

export interface FillRequestOptions {
  readonly context: Pick<AdapterContext, 'log' | 'codec' | 'logger'>;
  /** Sends a request with this JSON text, and publishes the response. */
  readonly send: (request: string, signal: AbortSignal, cost: RequestCost) => Promise<unknown>;
  /** Notified of how far each account is loaded, also when it traded last. */
  readonly recent?: Pick<RecentAccounts, 'record' | 'forget'> | null;
  readonly now?: () => number;
  /** How it waits between two looks. */
  readonly wait?: typeof pause;
}

/** Runs until it is closed. Close it before the publisher. */
export async function startFillRequests(options: FillRequestOptions): Promise<Running> {
  const { context, recent } = options;
  const { log, codec } = context;
  await log.createTopics([fillLoadTopic]);
  await codec.prepare([fillLoadTopic]);
  const requests = new FillRequests();
  const follower = new TopicFollower(context, {
    topic: fillLoadTopic,
    part: 'fills of accounts',
    from: 0,
    handle: (load) => {
      requests.record(load);
      recent?.record(load);
    },
    onRemoved: (account) => {
      requests.forget(account);
      recent?.forget(account);
    },
  });
  await follower.catchUp();
  await follower.start();
  const running = request(options, requests, follower.signal);
  return {
    close: async () => {
      await follower.close();
      await running;
    },
  };
}

/** A request that is sent, or waits for room. */
interface RunningRequest {
  readonly due: FillRequest;
  readonly ending: AbortController;
  isSent: boolean;
}

async function request(options: FillRequestOptions, requests: FillRequests, signal: AbortSignal): Promise<void> {
  const { context, send, wait = pause, now = Date.now } = options;
  const sendOne = async (own: RunningRequest): Promise<void> => {
    const { due, ending } = own;
    const { account, user, list, from, priority } = due;
    requests.begin(due);
    try {
      await send(JSON.stringify(fillRequest(list, user, from)), ending.signal, {
        priority,
        weight: rowsWeight(FILLS_OF_PAGE),
        weightOf: (response) => rowsWeight(rowsOf(response, list)),
        onSend: () => {
          own.isSent = true;
        },
      });
      requests.answered(due, now());
      context.logger.debug({ account, list, from }, 'requested fills');
    } catch (error) {
      if (signal.aborted) return;
      if (ending.signal.aborted) {
        requests.withdrawn(due);
        return;
      }
      requests.failed(due, now());
      // The venue may be away for long, and the request is repeated.
      const level = error instanceof UpstreamError ? 'debug' : 'error';
      context.logger[level]({ error, account, list }, 'could not request fills, retrying');
    }
  };
  const running = new Map<RunningRequest, Promise<void>>();
  const begin = (due: FillRequest): void => {
    const own: RunningRequest = { due, ending: new AbortController(), isSent: false };
    const ended = sendOne(own).finally(() => {
      running.delete(own);
      // Less important requests would take the room until the next look.
      if (!signal.aborted) look();
    });
    running.set(own, ended);
  };
  const look = (): void => {
    let untraded = 0;
    for (const { due, ending, isSent } of running.keys()) {
      if (isTraded(due)) continue;
      untraded += 1;
      // It would wait for room behind all that is more important, and is due again at once.
      if (!isSent && requests.isTradedSince(due, now())) ending.abort();
    }
    if (running.size >= RUNNING) return;
    // Most of the time all that are left are those of loads, which need not be sorted.
    const lowest = untraded < UNTRADED_RUNNING ? REST_PRIORITIES.others : REST_PRIORITIES.tradedFills;
    for (const due of requests.due(now(), lowest)) {
      if (running.size >= RUNNING) return;
      if (!isTraded(due)) {
        if (untraded >= UNTRADED_RUNNING) return;
        untraded += 1;
      }
      begin(due);
    }
  };
  while (await wait(INTERVAL_MS, signal)) look();
  for (const { ending } of running.keys()) ending.abort(signal.reason);
  await Promise.all(running.values());
}

const isTraded = ({ priority }: FillRequest) => priority <= REST_PRIORITIES.tradedFills;

/** Rows of a response; the stage writes the dead letter of one that is no list. */
function rowsOf(response: Buffer, list: string): number {
  const rows = parseAnswer(response, list);
  return Array.isArray(rows) ? rows.length : 0;
}
