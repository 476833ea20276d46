import { z } from 'zod';

/** Shape of a figure of a snapshot. */
export const figure = (meaning: string) =>
  z.number().nullable().describe(`${meaning}; null while the venue states none.`);
