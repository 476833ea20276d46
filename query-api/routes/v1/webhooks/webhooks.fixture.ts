/** The service with two organizations, for tests of webhooks. */
import { expect } from 'vitest';
import {
  openTestService,
  type TestRequest,
  type TestResponse,
  type TestServiceOptions,
} from '../../../testing/test-service.fixture.ts';

/** The path of the routes of webhooks. */
export const PATH = '/v1/webhooks';
/** Two subscriptions, of which one has a filter. */
export const SPREADS = { eventType: 'event.spread.changed', version: 1 };
export const TRADES = { eventType: 'broker.trade.executed', version: 1, filters: { brokers: ['venue_a'] } };
/** A valid body of a creation. */
export const BODY = { url: 'https://hooks.example.com/a?token=b#c', subscriptions: [SPREADS, TRADES] };
/** The refusal of every request for an unknown or foreign webhook. */
export const NOT_FOUND = [404, 'not_found', 'no such webhook'];

/** The service and its callers. Requests are those of Acme unless they state another token. */
export type WebhooksApi = Awaited<ReturnType<typeof openWebhooksApi>>;

/** Opens the service with the organizations Acme and Other and a sandbox key of Acme. */
export async function openWebhooksApi(options: TestServiceOptions = {}) {
  const service = await openTestService(options);
  const acme = await service.organization('Acme');
  const other = await service.organization('Other');
  const sandbox = (await service.key(acme.token, ['read', 'admin'], true)).token;
  const send = (method: string, path: string, request: TestRequest = {}) =>
    service.request(method, `${PATH}${path}`, { token: acme.token, ...request });
  const create = async (token = acme.token) => {
    const created = await send('POST', '', { token, body: BODY });
    expect(created.status).toBe(201);
    return created.body;
  };
  return { service, acme, other, sandbox, send, create, close: () => service.close() };
}

/** Returns status, code and message of an error. */
export async function refusalOf(response: Promise<TestResponse>): Promise<unknown[]> {
  const { status, body } = await response;
  return [status, body.error.code, body.error.message];
}
