import { z } from 'zod';

/** Path of one event. A text that no id can have is simply not found. */
export const eventPath = z.object({ universalId: z.string() });
