import { z } from 'zod';
import { ApiError } from '#schemas/errors';

/** Maximum length of an id; generated ids are at most half as long. */
export const ID_LENGTH_MAX = 128;

/**
 * Path of a resource of the caller. A text that is too long for an id throws 404 immediately, so that it is not written
 * to the log as part of a command; other unknown ids are answered 404 by the handler.
 */
export const idPath = z.object({
  id: z
    .string()
    .refine((id) => {
      if (id.length > ID_LENGTH_MAX) throw new ApiError('not_found', 'no such id');
      return true;
    })
    .describe('The id of the resource.'),
});
