import { z } from 'zod';
import { ApiError } from '#schemas/errors';

/** Characters of an id; those that the service makes have half of it at most. */
export const ID_LENGTH_MAX = 128;

/**
 * The path of one of the caller's own things. What is no id of anything is not found, as any other; what is too long to
 * be one throws 404 at once, so that no command with it goes into the log.
 */
export const idPath = z.object({
  id: z.string().refine((id) => {
    if (id.length > ID_LENGTH_MAX) throw new ApiError('not_found', 'no such id');
    return true;
  }),
});
