/** Responses of tenants' endpoints to webhook deliveries, for tests and benchmarks. */
import type { ServerResponse } from 'node:http';

/** Handles a request. `nth` counts the requests for one event from 1, `all` those for all events. */
export type Answer = (response: ServerResponse, nth: number, all: number) => void;

export const answers = {
  status:
    (status: number, headers: Record<string, string> = {}): Answer =>
    (response) =>
      void response.writeHead(status, headers).end('secret of the tenant'),
  reset: (response: ServerResponse) => void response.socket?.destroy(),
  silence: () => {},
  slowly:
    (ms: number): Answer =>
    (response) =>
      void setTimeout(() => response.writeHead(200).end(), ms),
  /** Answers the first `failures` requests for each event with `answer`, then accepts it. */
  after:
    (failures: number, answer: Answer): Answer =>
    (response, nth, all) =>
      nth > failures ? void response.writeHead(204).end() : answer(response, nth, all),
};
