/** Serves reads of PnL series, and publishes each response. */
import type { Metrics } from '#infra/telemetry/metrics';
import { USER_PNL_INTERVALS } from '#schemas/domain/returns/venue-b-series';
import { type UserPnlRequest, type UserPnlResult, userPnlRead } from '#schemas/requests/venue-b-user-pnl';
import { Budget } from '../../feed/budget.ts';
import { HttpClient, type HttpRequest } from '../../feed/http-client.ts';
import type { Publisher } from '../../publisher/publisher.ts';
import { readInTime } from '../../requests/read-in-time.ts';
import { defineHandler, type RequestHandler } from '../../requests/request-handler.ts';
import {
  PRIORITIES,
  USER_PNL_BUDGET,
  USER_PNL_FIDELITIES,
  USER_PNL_RUNNING,
  USER_PNL_TIMEOUT_MS,
  USER_PNL_TOTAL_MS,
  USER_PNL_WAIT_MS,
} from './declaration.ts';

/** Source and feed of the raw records. */
const SOURCE = 'venue_b.pnl';

export interface UserPnlReadsOptions {
  /** The URL of the series, with its path. */
  readonly url: string;
  readonly publisher: Pick<Publisher, 'receive' | 'whenReady'>;
  readonly metrics: Pick<Metrics, 'upstreamRequests'>;
  readonly timeoutMs?: number;
}

/** Reads on behalf of clients, and those that nobody waits for. Both share the limits. */
export interface UserPnlReads {
  readonly handler: RequestHandler;
  /** Reads a series and publishes the response, whenever there is room. */
  send(params: UserPnlRequest, signal: AbortSignal): Promise<UserPnlResult>;
}

export function createUserPnlReads(options: UserPnlReadsOptions): UserPnlReads {
  const { url, publisher, metrics, timeoutMs = USER_PNL_TIMEOUT_MS } = options;
  const budget = new Budget(USER_PNL_BUDGET);
  const http = new HttpClient({ budget, counter: { source: SOURCE, metrics }, retries: 'reads', timeoutMs });
  const send = async (
    params: UserPnlRequest,
    limits: Pick<HttpRequest, 'priority' | 'payers' | 'roomUntil'> & { readonly signal: AbortSignal },
  ): Promise<UserPnlResult> => {
    // Neither the response nor the outcome could be published while the log accepts nothing.
    await publisher.whenReady(limits.signal);
    const query = queryOf(params);
    const payload = await http.send({ url: `${url}?${query}`, weight: 1, ...limits });
    publisher.receive({ source: SOURCE, feed: SOURCE, request: `GET /user-pnl?${query}`, payload });
    return { text: payload.toString(), fetchedAt: Date.now() };
  };
  const handler = defineHandler({
    kind: userPnlRead,
    running: USER_PNL_RUNNING,
    expiresAfterMs: USER_PNL_WAIT_MS,
    run: (params, { signal, requestedAt, orgIds }) =>
      readInTime(requestedAt + USER_PNL_TOTAL_MS, signal, (inTime) =>
        send(params, { payers: orgIds, roomUntil: requestedAt + USER_PNL_WAIT_MS, signal: inTime }),
      ),
  });
  return { handler, send: (params, signal) => send(params, { priority: PRIORITIES.others, signal }) };
}

function queryOf({ address, window }: UserPnlRequest): URLSearchParams {
  const [interval, fidelity] = [USER_PNL_INTERVALS[window], USER_PNL_FIDELITIES[window]];
  return new URLSearchParams({ user_address: address, interval, fidelity });
}
