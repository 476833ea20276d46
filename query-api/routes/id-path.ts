import { z } from 'zod';

/** The path of one of the caller's own things. What is no id of anything is not found, as any other. */
export const idPath = z.object({ id: z.string() });
