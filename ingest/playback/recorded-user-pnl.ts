/** Answers reads of PnL series of venue_b from a recording. */
import type { Running } from '#infra/runtime/context';
import type { FollowerContext } from '#infra/stages/topic-follower';
import type { Window } from '#schemas/domain/returns/series';
import { readUserPnlRequest } from '#schemas/domain/returns/venue-b-series';
import { userPnlRead } from '#schemas/requests/venue-b-user-pnl';
import { rawTopic } from '#schemas/topics/raw';
import { UpstreamError } from '../feed/errors.ts';
import { defineHandler, type RequestHandler } from '../requests/request-handler.ts';
import { openNewestResponses } from './newest-responses.ts';

const TOPIC = rawTopic('venue_b', 'pnl');

export async function recordedUserPnl(
  context: FollowerContext,
  limits: Pick<RequestHandler, 'running' | 'expiresAfterMs'>,
): Promise<Running & { readonly handler: RequestHandler }> {
  const responses = await openNewestResponses(context, TOPIC, keyOfRequest);
  const handler = defineHandler({
    kind: userPnlRead,
    ...limits,
    run: async ({ address, window }) => {
      const offset = responses.offsetOf(keyOf(address, window));
      const response = offset === undefined ? null : await responses.read(offset);
      if (!response) throw new UpstreamError('upstream_unavailable', 'the recording has no response to this request');
      return { text: response.payload.toString(), fetchedAt: response.receivedAt };
    },
  });
  return { handler, close: () => responses.close() };
}

const keyOf = (address: string, window: Window) => `${address} ${window}`;

function keyOfRequest(request: string): string | null {
  const { address, window } = readUserPnlRequest(request);
  return window === null ? null : keyOf(address, window);
}
