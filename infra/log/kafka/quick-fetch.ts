/** Decodes answers to fetches with `record-batches.ts`, and falls back to kafkajs. */
import type { Broker, RequestLookup } from './kafka-client.ts';
import { readFetchAnswer } from './record-batches.ts';

const FETCH_API = 1;
const quick = new WeakSet<RequestLookup>();

/** Call before each fetch: a reconnected broker has a new lookup. */
export function readFetchesQuickly(broker: Broker): void {
  const original = broker.lookupRequest;
  if (quick.has(original)) return;
  const lookup: RequestLookup = (apiKey, definition) => {
    const requestOf = original(apiKey, definition);
    if (apiKey !== FETCH_API) return requestOf;
    return (options) => {
      const call = requestOf(options);
      const { request, response } = call;
      const decode = async (bytes: Buffer) => readFetchAnswer(bytes, request.apiVersion) ?? response.decode(bytes);
      return { ...call, response: { ...response, decode } };
    };
  };
  quick.add(lookup);
  broker.lookupRequest = lookup;
}
