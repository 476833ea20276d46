/** Has the answers to fetches read by `record-batches.ts`, and by kafkajs where that one passes. */
import type { Broker, RequestLookup } from './kafka-client.ts';
import { readFetchAnswer } from './record-batches.ts';

const FETCH_API = 1;
const quick = new WeakSet<RequestLookup>();

/** To be called before each fetch: a broker that connects again has a new lookup. */
export function readFetchesQuickly(broker: Broker): void {
  const given = broker.lookupRequest;
  if (quick.has(given)) return;
  const lookup: RequestLookup = (apiKey, definition) => {
    const requestOf = given(apiKey, definition);
    if (apiKey !== FETCH_API) return requestOf;
    return (asked) => {
      const call = requestOf(asked);
      const { request, response } = call;
      const decode = async (bytes: Buffer) => readFetchAnswer(bytes, request.apiVersion) ?? response.decode(bytes);
      return { ...call, response: { ...response, decode } };
    };
  };
  quick.add(lookup);
  broker.lookupRequest = lookup;
}
