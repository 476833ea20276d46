/** Informs ingest of the books that subscribers of raw channels listen to, so that it subscribes to them at the venue. */
import { openRequestClient, type RequestClient } from '#infra/requests/request-client';
import type { Running } from '#infra/runtime/context';
import type { FollowerContext } from '#infra/stages/topic-follower';
import { bookWanted } from '#schemas/requests/book-wanted';
import type { Subscriptions } from './subscriptions.ts';

/** How often the subscribed channels are looked at. */
const INTERVAL_MS = 1_000;
/** The providers whose books ingest subscribes to on request. */
const PROVIDERS = new Set(['venue_a_perp', 'venue_a_outcome']);
/** The gateway asks in a turn of its own. */
const TURN = 'stream-gateway';
/** Books of one request. */
const COINS_MAX = 1_000;

type BookSubscriptions = Pick<Subscriptions, 'rawInstruments'>;

export async function requestBooks(context: FollowerContext, subscriptions: BookSubscriptions): Promise<Running> {
  const client = await openRequestClient(context);
  const timer = setInterval(() => requestSubscribed(client, subscriptions), INTERVAL_MS);
  return {
    close: async () => {
      clearInterval(timer);
      await client.close();
    },
  };
}

/** Sends a request for the books of now. The client repeats an equal one only when its result has expired. */
export function requestSubscribed(client: Pick<RequestClient, 'send'>, subscriptions: BookSubscriptions): void {
  const coins = [...subscriptions.rawInstruments(PROVIDERS)].sort().slice(0, COINS_MAX);
  if (coins.length === 0) return;
  // If ingest does not answer, the next turn asks again.
  client.send(TURN, bookWanted, { coins }).catch(() => {});
}
