/** The list of windows in the body of a request. */
import { z } from 'zod';
import { WINDOWS } from '#schemas/domain/returns/series';
import { isUnique } from './users-body.ts';

export const windowsBody = z
  .array(z.enum(WINDOWS))
  .min(1)
  .refine(isUnique, 'must not contain a window twice')
  .default([...WINDOWS])
  .describe('All by default.');
