import type { Subscription } from '#schemas/domain/control/state';
import { EVENT_TYPES, findEventType } from '#schemas/webhooks/event-types';

/** Something that a subscription asks for and the catalog does not have. */
export interface SubscriptionFault {
  /** From the subscription on. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What is wrong with a subscription by the catalog: type, version, and the filters that the type takes. Pure. */
export function subscriptionFaults({ eventType, version, filters = {} }: Subscription): SubscriptionFault[] {
  const versions = EVENT_TYPES.filter(({ type }) => type === eventType).map((entry) => entry.version);
  if (versions.length === 0) return [{ path: ['eventType'], message: 'is no event type of the catalog' }];
  const found = findEventType(eventType, version);
  if (!found) return [{ path: ['version'], message: `the catalog has ${versions.join(', ')}` }];
  const parsed = found.filters.safeParse(filters);
  if (parsed.success) return [];
  return parsed.error.issues.flatMap((issue): SubscriptionFault[] => {
    const path = ['filters', ...issue.path];
    if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
    return issue.keys.map((key) => ({
      path: [...path, key.slice(0, 100)],
      message: 'is no filter of the event type',
    }));
  });
}
