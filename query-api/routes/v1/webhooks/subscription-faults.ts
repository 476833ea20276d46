import type { Subscription } from '#schemas/domain/control/state';
import { EVENT_TYPES, findEventType } from '#schemas/webhooks/event-types';

/** An error in a subscription. */
export interface SubscriptionFault {
  /** Path within the subscription. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Validates the type, the version and the filters of a subscription against the catalog. */
export function subscriptionFaults({ eventType, version, filters = {} }: Subscription): SubscriptionFault[] {
  const versions = EVENT_TYPES.filter(({ type }) => type === eventType).map((entry) => entry.version);
  if (versions.length === 0)
    return [{ path: ['eventType'], message: 'unknown event type; see GET /v1/webhooks/event-catalog' }];
  const found = findEventType(eventType, version);
  if (!found) return [{ path: ['version'], message: `unknown version; available: ${versions.join(', ')}` }];
  const parsed = found.filters.safeParse(filters);
  if (parsed.success) return [];
  return parsed.error.issues.flatMap((issue): SubscriptionFault[] => {
    const path = ['filters', ...issue.path];
    if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
    return issue.keys.map((key) => ({
      path: [...path, key.slice(0, 100)],
      message: 'unknown filter of this event type',
    }));
  });
}
