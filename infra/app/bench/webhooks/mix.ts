/** Defines webhooks with endpoints of every kind and their deliveries. They are the same each time. */
import type { Delivery } from '#schemas/topics/webhooks';
import { type Answer, answers } from '#stream-gateway/webhooks/endpoint-answers.fixture';

/** Expected end of a webhook: it delivers every event within its attempts, or is disabled for this reason. */
export type ExpectedEnd = 'delivers' | 'gone' | 'failing';

export interface MixedWebhook {
  readonly id: string;
  readonly answer: Answer;
  readonly ending: ExpectedEnd;
  /** Number of its events, which are numbered from 0. */
  readonly deliveries: number;
}

export interface MixOptions {
  /** Total over all webhooks. */
  readonly deliveries: number;
  /** Webhooks of each kind; at most 8, since an organization has at most 100 webhooks. */
  readonly copies: number;
  /** Deliveries for each webhook whose endpoint causes timeouts; these need time, but little work. */
  readonly waiting: number;
  readonly timeoutMs: number;
}

/** The sender's schedule in seconds: five attempts, so that an event is delivered after four failures. */
export const SCHEDULE = '0,0.1,0.2,0.4,0.8';
export const ORGANIZATION = 'org_bench';

const SLOW_MS = 30;

/** Shares of the deliveries without those that wait; `good` gets the rest. */
const SHARES = { good2: 0.21, slow: 0.1, status500: 0.1, reset: 0.1, status429: 0.06, redirect: 0.06, bad: 0.06 };

export function mixOf({ deliveries, copies, waiting, timeoutMs }: MixOptions): readonly MixedWebhook[] {
  const { after, reset, silence, slowly, status } = answers;
  const working = Math.floor(deliveries / copies) - 3 * waiting;
  const part = (share: number) => Math.floor(working * share);
  const kinds: [string, number, ExpectedEnd, Answer][] = [
    ['good2', part(SHARES.good2), 'delivers', status(204)],
    ['slow', part(SHARES.slow), 'delivers', slowly(SLOW_MS)],
    ['500', part(SHARES.status500), 'delivers', after(2, status(500))],
    ['reset', part(SHARES.reset), 'delivers', after(1, reset)],
    ['429', part(SHARES.status429), 'delivers', after(1, status(429, { 'retry-after': '1' }))],
    ['redirect', part(SHARES.redirect), 'delivers', after(2, status(307, { location: 'http://127.0.0.1:1/' }))],
    ['gone', part(SHARES.bad), 'gone', status(410)],
    ['failing', part(SHARES.bad), 'failing', status(503)],
    ['silent', waiting, 'delivers', after(1, silence)],
    ['late', waiting, 'delivers', after(2, slowly(2 * timeoutMs))],
    ['dead', waiting, 'failing', silence],
  ];
  const mix: MixedWebhook[] = [];
  for (let copy = 1; copy <= copies; copy += 1)
    for (const [kind, count, ending, answer] of kinds)
      mix.push({ id: `wh_${kind}_${copy}`, answer, ending, deliveries: count });
  const left = deliveries - sum(mix);
  for (let copy = 1; copy <= copies; copy += 1) {
    const count = Math.floor(left / copies) + (copy <= left % copies ? 1 : 0);
    mix.push({ id: goodWebhook(copy), answer: status(200), ending: 'delivers', deliveries: count });
  }
  return mix;
}

/**
 * Id of the webhook whose endpoint accepts everything immediately.
 *
 * @param copy from 1.
 */
export const goodWebhook = (copy: number): string => `wh_good_${copy}`;

export const sum = (mix: readonly MixedWebhook[]): number => mix.reduce((all, { deliveries }) => all + deliveries, 0);

/** Delivery of event `number` of a webhook. */
export function deliveryOf(webhookId: string, number: number, at: number): Delivery {
  const eventId = `evt-${webhookId}-${number}`;
  return {
    id: deliveryIdOf(webhookId, number),
    webhookId,
    orgId: ORGANIZATION,
    eventId,
    eventType: 'event.spread',
    receivedAt: at,
    createdAt: at,
    test: false,
    body: `{"specversion":"1.0","id":"${eventId}",${REST_OF_BODY}`,
  };
}

export const deliveryIdOf = (webhookId: string, number: number): string => `dlv_${webhookId}-${number}`;

/** Number of the event with this id. */
export const numberOf = (eventId: string): number => Number(eventId.slice(eventId.lastIndexOf('-') + 1));

/** As long as a typical spread, with characters beyond ASCII, so that characters and bytes differ. */
const REST_OF_BODY = JSON.stringify({
  source: 'parallax',
  type: 'event.spread',
  time: '2026-01-15T12:00:00.000Z',
  datacontenttype: 'application/json',
  data: {
    eventId: 'evt_1f0c2d3e4b5a69788796a5b4c3d2e1f0',
    title: 'Bitcoin über 98.000 $ am 31. Januar – “Yes”',
    spread: '0.0325',
    legs: [
      { provider: 'venue_a', marketId: '0x5f65177b394277fd294cd75650044e32ba009a95', side: 'yes', price: '0.4475' },
      { provider: 'venue_b', marketId: 'KXBTCD-26JAN3117-T97999.99', side: 'yes', price: '0.4800' },
    ],
    ts: '2026-01-15T12:00:00.000Z',
  },
}).slice(1);
