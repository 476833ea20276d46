/** Answers reads of positions of venue_b from a recording: with the newest recorded pages. */
import type { Running } from '#infra/runtime/context';
import type { FollowerContext } from '#infra/stages/topic-follower';
import { POSITIONS_PAGE } from '#schemas/domain/accounts/venue-b-value';
import { asList, parseJsonOrNull } from '#schemas/domain/json-fields';
import { venueBPositions } from '#schemas/requests/positions';
import { rawTopic } from '#schemas/topics/raw';
import { UpstreamError } from '../feed/errors.ts';
import { defineHandler, type RequestHandler } from '../requests/request-handler.ts';
import { openNewestResponses } from './newest-responses.ts';

const TOPIC = rawTopic('venue_b', 'data');

/** Reads the recorded positions of accounts, and serves reads of them. */
export interface RecordedPositions extends Running {
  readonly handler: RequestHandler;
  /** Rejects with an `UpstreamError` if the recording lacks a page. */
  read(address: string): Promise<{ readonly pages: string[]; readonly fetchedAt: number }>;
}

export async function recordedPositions(
  context: FollowerContext,
  limits: Pick<RequestHandler, 'running' | 'expiresAfterMs'>,
): Promise<RecordedPositions> {
  const responses = await openNewestResponses(context, TOPIC, keyOfRequest);
  const read = async (address: string) => {
    const pages: string[] = [];
    let fetchedAt = Number.POSITIVE_INFINITY;
    for (;;) {
      const offset = responses.offsetOf(keyOf(address, pages.length * POSITIONS_PAGE));
      const response = offset === undefined ? null : await responses.read(offset);
      if (!response) throw new UpstreamError('upstream_unavailable', 'the recording has not all pages of the account');
      const page = response.payload.toString();
      pages.push(page);
      fetchedAt = Math.min(fetchedAt, response.receivedAt);
      if (asList(parseJsonOrNull(page)).length < POSITIONS_PAGE) return { pages, fetchedAt };
    }
  };
  const handler = defineHandler({ kind: venueBPositions, ...limits, run: ({ address }) => read(address) });
  return { handler, read, close: () => responses.close() };
}

const keyOf = (address: string, offset: number) => `${address} ${offset}`;

/** Only complete lists count. @param request `GET /path?query`. */
function keyOfRequest(request: string): string | null {
  const [, query] = /^GET \/positions\?(.*)$/.exec(request) ?? [];
  const parameters = new URLSearchParams(query ?? '');
  const address = parameters.get('user');
  const isComplete = parameters.get('sizeThreshold') === '0' && parameters.get('limit') === String(POSITIONS_PAGE);
  return address && isComplete ? keyOf(address.toLowerCase(), Number(parameters.get('offset') ?? 0)) : null;
}
