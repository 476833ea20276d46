/** Creates events for oracle tests from their links and the event that they were merged into. */
import { anEvent as aBlankEvent } from '#schemas/testing/records.fixture';
import type { EventLink, UniversalEvent } from '#schemas/topics/derived';

export function anEvent(
  universalId: string,
  links: readonly EventLink[],
  mergedInto: string | null = null,
): UniversalEvent {
  return aBlankEvent({ universalId, links: [...links], mergedInto });
}
