/**
 * Serves acquisitions: requests the positions of an account and its cash at one block, and publishes them once they are
 * complete (contract, Money: accounts, reads, values).
 */

import { untilAborted } from '#infra/runtime/until-aborted';
import type { Metrics } from '#infra/telemetry/metrics';
import {
  POSITIONS_OFFSET_MAX,
  POSITIONS_PAGE,
  readCollateralBalance,
  readVenueBPositions,
} from '#schemas/domain/accounts/venue-b-value';
import { FieldError } from '#schemas/domain/json-fields';
import { ACCOUNT_STATES, type AcquisitionResult, venueBAcquisition } from '#schemas/requests/account-acquisition';
import { type BalanceCall, balanceCall } from '#schemas/venues/venue-b/balance-call';
import { COLLATERAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import type { Budget } from '../../feed/budget.ts';
import { UpstreamError } from '../../feed/errors.ts';
import type { HttpClient } from '../../feed/http-client.ts';
import { parseAnswer } from '../../feed/json.ts';
import { noRoomError } from '../../feed/reserve-in-time.ts';
import type { Publisher } from '../../publisher/publisher.ts';
import { countAcquisition, countExpired } from '../../requests/count-acquisition.ts';
import { readInTime } from '../../requests/read-in-time.ts';
import { defineHandler, type RequestContext, type RequestHandler } from '../../requests/request-handler.ts';
import { type Acquire, type AcquisitionTerms, SharedAcquisitions } from '../../requests/shared-acquisitions.ts';
import { joinUrl } from '../adapter.ts';
import { type ChainRpc, ChainRpcError } from './chain/chain-rpc.ts';
import { ACQUISITIONS_RUNNING, ACQUISITIONS_TOTAL_MS, ACQUISITIONS_WAIT_MS, PRIORITIES } from './declaration.ts';

const DATA_FEED = 'venue_b.data';
const CALL_FEED = 'venue_b.call';

export interface AcquisitionsOptions {
  /** Base URL of the venue's accounts. */
  readonly url: string;
  readonly rpc: Pick<ChainRpc, 'call' | 'header'>;
  readonly publisher: Pick<Publisher, 'receive' | 'whenReady'>;
  readonly http: Pick<HttpClient, 'send'>;
  readonly budget: Pick<Budget, 'untilRoomMs'>;
  readonly metrics: Pick<Metrics, 'accountAcquisitions'>;
}

interface Page {
  readonly path: string;
  readonly payload: Buffer;
  readonly rows: number;
  /** Unix ms. */
  readonly fetchedAt: number;
}

interface Balance extends BalanceCall {
  readonly block: number;
  readonly result: string;
}

export interface Acquisitions {
  /** Serve the acquisitions that reads of clients cause, and those with what the venue sent. */
  readonly handlers: readonly RequestHandler[];
  readonly acquire: Acquire;
}

export function createAcquisitions(options: AcquisitionsOptions): Acquisitions {
  const { publisher, budget, metrics } = options;
  const shared = new SharedAcquisitions();
  const acquire: Acquire = async (address, terms) => {
    await publisher.whenReady(terms.signal);
    return (
      shared.current(address, terms.fresh) ??
      countAcquisition(metrics, 'venue_b', terms.cause, () => readAndPublish(options, shared, address, terms))
    );
  };
  const acquireForRead = (address: string, fresh: boolean, context: RequestContext) =>
    readInTime(context.requestedAt + ACQUISITIONS_TOTAL_MS, context.signal, (inTime) =>
      acquire(address, {
        cause: 'read',
        priority: PRIORITIES.reads,
        payers: context.orgIds,
        roomUntil: context.requestedAt + ACQUISITIONS_WAIT_MS,
        signal: inTime,
        fresh,
      }),
    );
  const served = {
    running: ACQUISITIONS_RUNNING,
    expiresAfterMs: ACQUISITIONS_WAIT_MS,
    expiredBecause: () => countExpired(metrics, 'venue_b', noRoomError(budget, 1)),
  };
  const handler = defineHandler({
    kind: venueBAcquisition,
    ...served,
    run: async ({ address }, context) => {
      const { publishedAt } = await acquireForRead(address, false, context);
      return { publishedAt };
    },
  });
  const stateHandler = defineHandler({
    kind: ACCOUNT_STATES.venue_b,
    ...served,
    run: ({ address, fresh }, context) => acquireForRead(address, fresh, context),
  });
  return { handlers: [handler, stateHandler], acquire };
}

/** The first page waits for room, and the others for room of their own. */
async function readAndPublish(
  options: AcquisitionsOptions,
  shared: SharedAcquisitions,
  address: string,
  { cause: _cause, fresh, ...spend }: AcquisitionTerms,
): Promise<AcquisitionResult> {
  const first = await readPage(options, address, 0, spend);
  return shared.run(
    address,
    () =>
      readInTime(Date.now() + ACQUISITIONS_TOTAL_MS, spend.signal, async (signal) => {
        const pages = await readFurtherPages(options, address, first, { ...spend, signal });
        const balances = await readBalances(options.rpc, address, signal);
        check(pages, balances);
        return publish(options, pages, balances);
      }),
    fresh,
  );
}

/** How the pages of an account are requested. */
type Spend = Omit<AcquisitionTerms, 'cause' | 'fresh'>;
type PageReads = Pick<AcquisitionsOptions, 'url' | 'http'>;

/** Reads all pages of the positions of an account. Rejects with an `UpstreamError`. */
export async function readPages(reads: PageReads, address: string, spend: Spend): Promise<Page[]> {
  return readFurtherPages(reads, address, await readPage(reads, address, 0, spend), spend);
}

async function readFurtherPages(reads: PageReads, address: string, first: Page, spend: Spend): Promise<Page[]> {
  const pages = [first];
  for (let page = first; page.rows >= POSITIONS_PAGE; ) {
    const offset = pages.length * POSITIONS_PAGE;
    if (offset > POSITIONS_OFFSET_MAX)
      throw new UpstreamError('upstream_malformed', 'the account has more positions than the venue returns');
    page = await readPage(reads, address, offset, spend);
    pages.push(page);
  }
  return pages;
}

async function readPage({ url, http }: PageReads, address: string, offset: number, spend: Spend): Promise<Page> {
  const path = `/positions?user=${address}&sizeThreshold=0&limit=${POSITIONS_PAGE}&offset=${offset}`;
  const payload = await http.send({ url: joinUrl(url, path), weight: 1, ...spend });
  const rows = parseAnswer(payload, path);
  if (!Array.isArray(rows)) throw new UpstreamError('upstream_malformed', '/positions returned no list');
  return { path, payload, rows: rows.length, fetchedAt: Date.now() };
}

/** Reads the balance of each collateral token as of the newest block. */
async function readBalances(rpc: AcquisitionsOptions['rpc'], address: string, signal: AbortSignal): Promise<Balance[]> {
  try {
    const head = await untilAborted(rpc.header('latest'), signal);
    if (!head) throw new UpstreamError('upstream_unavailable', 'the node has no newest block');
    const block = Number(head.number);
    return await Promise.all(
      Object.values(COLLATERAL_TOKENS).map(async (token) => {
        const call = balanceCall(token, address);
        return { ...call, block, result: await untilAborted(rpc.call(call, block), signal) };
      }),
    );
  } catch (error) {
    if (!(error instanceof ChainRpcError)) throw error;
    throw new UpstreamError('upstream_unavailable', error.message, { cause: error });
  }
}

/** Throws `upstream_malformed` if the value cannot be calculated. */
function check(pages: readonly Page[], balances: readonly Balance[]): void {
  try {
    readVenueBPositions(pages.map(({ payload }) => payload.toString()));
    for (const { result } of balances) readCollateralBalance(result, 'balanceOf');
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw new UpstreamError('upstream_malformed', error.message, { cause: error });
  }
}

function publish(
  { publisher }: AcquisitionsOptions,
  pages: readonly Page[],
  balances: readonly Balance[],
): AcquisitionResult {
  const publishedAt = Date.now();
  // The pages were read before the balances.
  const oldestAt = Math.min(...pages.map(({ fetchedAt }) => fetchedAt));
  for (const { path, payload } of pages)
    publisher.receive({ source: DATA_FEED, feed: DATA_FEED, request: `GET ${path}`, payload });
  for (const { to, data, block, result } of balances) {
    const request = JSON.stringify({ to, data, block, oldestAt });
    publisher.receive({ source: CALL_FEED, feed: CALL_FEED, request, payload: JSON.stringify(result) });
  }
  return { publishedAt, native: pages.map(({ payload }) => payload.toString()) };
}
