/** CloudEvents 1.0 in JSON (https://github.com/cloudevents/spec): the body of every delivery. */
import type { EventTypeId } from './event-types.ts';

/** The source of events, as a relative reference: a replay could not reproduce the host name. */
const EVENT_SOURCE = '/v1/webhooks';

export interface CloudEventParts {
  /** The same in every attempt, and after a replay of the same input. */
  readonly id: string;
  readonly type: EventTypeId;
  readonly version: number;
  /** Event time, unix ms. */
  readonly time: number;
  /** Id of the universal event or the trade. */
  readonly subject: string;
  readonly data: unknown;
}

/** The body as JSON. `eventversion` is an extension attribute; CloudEvents requires lower-case names for those. */
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
