/** What endpoints of tenants do with a delivery, in all the ways in which they answer. */
import type { ServerResponse } from 'node:http';

/** What an endpoint does with a request; `nth` counts from 1 by event, `all` over all. */
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
  /** Fails each event so often, then takes it. */
  after:
    (failures: number, answer: Answer): Answer =>
    (response, nth, all) =>
      nth > failures ? void response.writeHead(204).end() : answer(response, nth, all),
};
