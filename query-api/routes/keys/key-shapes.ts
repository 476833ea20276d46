/** What REST tells of keys. */
import { z } from 'zod';
import type { KeyRow } from '#schemas/domain/control/rows';
import { SCOPES } from '#schemas/domain/control/state';
import { isoTimeSchema } from '#schemas/http/scalars';

const described = {
  id: z.string(),
  name: z.string(),
  userId: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  createdAt: isoTimeSchema,
};

export const keySchema = z.object({ ...described, sandbox: z.boolean() });

/** A key that was just made. */
export const createdKeySchema = z.object({
  ...described,
  token: z.string().nullable().describe('Told once; null in a replay.'),
});

/** A key as its creation answers it. */
export function createdKey(
  { id, name, userId, scopes, createdAt }: KeyRow,
  token: string | null,
): z.infer<typeof createdKeySchema> {
  return { id, token, name, userId, scopes: [...scopes], createdAt };
}
