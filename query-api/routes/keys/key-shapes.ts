/** Response schemas of keys. */
import { z } from 'zod';
import type { KeyRow } from '#schemas/domain/control/rows';
import { SCOPES } from '#schemas/domain/control/state';
import { createdAtField } from '#schemas/http/fields';
import { isoTimeSchema } from '#schemas/http/scalars';

const fields = {
  id: z.string().describe('The id of the key, the part before the point in its token.'),
  name: z.string().describe('The label given at its creation.'),
  userId: z.string().describe('The user that it belongs to.'),
  scopes: z.array(z.enum(SCOPES)).describe('What it allows.'),
  createdAt: createdAtField,
};

export const keySchema = z
  .object({
    ...fields,
    sandbox: z.boolean().describe('True for a key of the sandbox.'),
    lastUsedAt: isoTimeSchema
      .nullable()
      .describe('Start of the minute in which it was last used, also through a portal session; null: never.'),
  })
  .meta({ id: 'Key' });

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
