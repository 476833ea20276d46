import { z } from 'zod';

/** How a list continues. */
export const paginationSchema = z
  .object({
    nextCursor: z.string().nullable().describe('The `cursor` of the next page; null on the last page.'),
    hasMore: z.boolean().describe('True if there is a next page.'),
  })
  .describe('How the list continues.')
  .meta({ id: 'Pagination' });

/** @param nextCursor null on the last page. */
export function toPagination(nextCursor: string | null): z.infer<typeof paginationSchema> {
  return { nextCursor, hasMore: nextCursor !== null };
}
