/** CloudEvents 1.0 in JSON (https://github.com/cloudevents/spec): the body of every delivery. */
import type { EventTypeId } from './event-types.ts';

/** Where events come from, as a relative reference: which host serves it is nothing that a replay could repeat. */
export const EVENT_SOURCE = '/v1/webhooks';

export interface CloudEventParts {
  /** The same for every attempt, and for a replay of the same input. */
  readonly id: string;
  readonly type: EventTypeId;
  readonly version: number;
  /** Event time, unix ms. */
  readonly time: number;
  /** What it is about: a universal event or a trade. */
  readonly subject: string;
  readonly data: unknown;
}

/** The body as JSON. `eventversion` is an extension attribute, whose names CloudEvents wants in lower case. */
export function cloudEventBody({ id, type, version, time, subject, data }: CloudEventParts): string {
  return JSON.stringify({
    specversion: '1.0',
    id,
    source: EVENT_SOURCE,
    type,
    eventversion: String(version),
    time: new Date(time).toISOString(),
    subject,
    datacontenttype: 'application/json',
    data,
  });
}
