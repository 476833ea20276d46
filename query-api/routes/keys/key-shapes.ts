/** Response schemas of keys. */
import { z } from 'zod';
import type { KeyRow } from '#schemas/domain/control/rows';
import { SCOPES } from '#schemas/domain/control/state';
import { isoTimeSchema } from '#schemas/http/scalars';

const fields = {
  id: z.string(),
  name: z.string(),
  userId: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  createdAt: isoTimeSchema,
};

export const keySchema = z.object({ ...fields, sandbox: z.boolean() });

/** A new key. */
export const createdKeySchema = z.object({
  ...fields,
  token: z.string().nullable().describe('Returned once; null in a replayed response.'),
});

/** The response to the creation of a key. */
export function createdKey(
  { id, name, userId, scopes, createdAt }: KeyRow,
  token: string | null,
): z.infer<typeof createdKeySchema> {
  return { id, token, name, userId, scopes: [...scopes], createdAt };
}
