/** An event as tests of the oracle's way name it: by its links, and by what it was merged into. */
import { anEvent as aBlankEvent } from '#schemas/testing/records.fixture';
import type { EventLink, UniversalEvent } from '#schemas/topics/derived';

export function anEvent(
  universalId: string,
  links: readonly EventLink[],
  mergedInto: string | null = null,
): UniversalEvent {
  return aBlankEvent({ universalId, links: [...links], mergedInto });
}
