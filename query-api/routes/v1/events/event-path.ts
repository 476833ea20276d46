import { z } from 'zod';

/** Path of an event. Any text is accepted; one that is not an id is answered 404. */
export const eventPath = z.object({
  universalId: z
    .string()
    .describe('The id of an event. One that was merged is answered with the event that took its place.'),
});
