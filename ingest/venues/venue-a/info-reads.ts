/**
 * Serves reads of `info` on behalf of clients, and publishes the responses about markets. A response about an account is
 * stored in the outcome of its request alone (contract, Reads from the venue), except a series: only those of bound
 * accounts are read.
 */
import { type InfoRequest, type InfoResult, infoRead } from '#schemas/requests/venue-a-info';
import { UpstreamError } from '../../feed/errors.ts';
import { errorBody } from '../../feed/http-client.ts';
import type { Publisher } from '../../publisher/publisher.ts';
import { readInTime } from '../../requests/read-in-time.ts';
import { defineHandler, type RequestContext, type RequestHandler } from '../../requests/request-handler.ts';
import { READS_RUNNING, READS_TOTAL_MS, READS_WAIT_MS, REST_PRIORITIES } from './declaration.ts';
import type { InfoClient } from './info-client.ts';
import { infoWeight, infoWeightMax } from './info-weight.ts';
import { SharedBars } from './shared-bars.ts';
import { type ReadBudget, whileWaiting } from './waiting-reads.ts';

export interface InfoReadsOptions {
  /** Retries reads. */
  readonly client: Pick<InfoClient, 'send'>;
  /** The weight that reads spend. */
  readonly budget: ReadBudget;
  readonly publisher: Pick<Publisher, 'receive' | 'whenReady'>;
  /** Source and feed of the raw records. */
  readonly feed: string;
}

export function createInfoReads(options: InfoReadsOptions): RequestHandler {
  const { budget } = options;
  const bars = new SharedBars({ onJoin: () => budget.recheck() });
  return defineHandler({
    kind: infoRead,
    running: READS_RUNNING,
    expiresAfterMs: READS_WAIT_MS,
    ...whileWaiting(budget, infoWeightMax),
    run: (params, { signal, requestedAt, orgIds }) =>
      readInTime(requestedAt + READS_TOTAL_MS, signal, async (inTime) => {
        const limits = { requestedAt, signal: inTime };
        const { type, req } = params;
        if (type !== 'candleSnapshot' || !req) return readInfo(options, params, { ...limits, orgIds });
        return bars.read(req, {
          orgIds,
          roomUntil: requestedAt + READS_WAIT_MS,
          signal: inTime,
          send: (range, payers) => readInfo(options, { type, req: range }, { ...limits, orgIds: payers }),
        });
      }),
  });
}

/** Sends one read. Rejects with an `UpstreamError`. */
export async function readInfo(
  { client, publisher, feed }: InfoReadsOptions,
  params: InfoRequest,
  { orgIds, requestedAt, signal }: Omit<RequestContext, 'orgIds'> & { readonly orgIds: Iterable<string> },
): Promise<InfoResult> {
  const { type, user } = params;
  const body = JSON.stringify(params);
  // Neither the response nor the outcome could be published while the log accepts nothing.
  await publisher.whenReady(signal);
  let native: unknown;
  const { payload, source } = await client.send({
    body,
    weight: infoWeightMax(params),
    weightOf: (response) => {
      native = parseResponse(response, type);
      return infoWeight(type, Array.isArray(native) ? native.length : 0);
    },
    weightOfError: infoWeight(type, 0),
    priority: REST_PRIORITIES.reads,
    payers: orgIds,
    roomUntil: requestedAt + READS_WAIT_MS,
    signal,
  });
  const fetchedAt = Date.now();
  if (source === 'node') native = parseResponse(payload, type);
  if (user === undefined || type === 'portfolio') publisher.receive({ source: feed, feed, request: body, payload });
  return { native, fetchedAt, source };
}

function parseResponse(response: Buffer, type: string): unknown {
  try {
    return JSON.parse(response.toString());
  } catch (cause) {
    const body = errorBody(response);
    throw new UpstreamError('upstream_malformed', `the response to ${type} is not JSON`, { status: 200, body, cause });
  }
}
