import { z } from 'zod';
import { timeLimit } from '../../../runtime/time-limit.ts';

const REQUEST_TIMEOUT_MS = 10_000;

const catalog = z.object({
  eventTypes: z.array(z.object({ type: z.string(), version: z.int(), delivering: z.boolean() })),
});
const list = z.object({ webhooks: z.array(z.object({ id: z.string(), url: z.string() })) });
const created = z.object({ id: z.string(), secret: z.string() });

/** The webhook of a receiver, over REST. Every method rejects with an `Error` that quotes the refusal. */
export class OwnWebhook {
  private readonly rest: string;
  private readonly token: string;
  private readonly url: string;

  /** @param url where deliveries are to be sent: no other receiver has it. */
  constructor(rest: string, token: string, url: string) {
    this.rest = rest;
    this.token = token;
    this.url = url;
  }

  /** Creates it, with every event type that is delivered, and resolves with its signing secret. */
  async create(): Promise<string> {
    // A receiver that was killed left one whose secret nobody knows.
    await this.remove();
    const { eventTypes } = catalog.parse(await this.request('GET', '/v1/webhooks/event-catalog'));
    const subscriptions = eventTypes
      .filter(({ delivering }) => delivering)
      .map(({ type: eventType, version }) => ({ eventType, version }));
    return created.parse(await this.request('POST', '/v1/webhooks', { url: this.url, subscriptions })).secret;
  }

  /** Deletes every webhook with this URL. */
  async remove(): Promise<void> {
    const { webhooks } = list.parse(await this.request('GET', '/v1/webhooks'));
    for (const { id, url } of webhooks) if (url === this.url) await this.request('DELETE', `/v1/webhooks/${id}`);
  }

  private async request(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.rest}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: timeLimit(REQUEST_TIMEOUT_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  }
}
