/** The list of addresses in the body of a batch. */
import { z } from 'zod';
import { addressSchema } from '#schemas/domain/control/fields';

/** Addresses of one batch (specification, Limits). */
const USERS_MAX = 50;

export const isUnique = (texts: readonly string[]): boolean => new Set(texts).size === texts.length;

/** Addresses in lower case. Two that differ only in case are the same. */
export const usersSchema = z
  .array(addressSchema.transform((address) => address.toLowerCase()))
  .min(1)
  .max(USERS_MAX)
  .refine(isUnique, 'must not contain an address twice')
  .meta({ uniqueItems: true });
