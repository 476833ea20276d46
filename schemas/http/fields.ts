/** Fields that several records have, with their descriptions. */
import { z } from 'zod';
import { isoTimeSchema } from './scalars.ts';

export const universalIdField = z.string().describe('The id of the event, `evt_<id>`.');
export const providerField = z
  .string()
  .describe('The fine-grained provider, such as `venue_a_perp`; `GET /providers` lists them.');
export const marketIdField = z
  .string()
  .describe("The venue's id of the market: a condition id (venue_b), a coin (venue_a).");
/** Of something that a chain confirms. */
export const statusField = z
  .enum(['pending', 'confirmed', 'reverted'])
  .describe('`pending` until its block is deep enough, `reverted` after a reorganization; off chain `confirmed`.');
export const txHashField = z.string().describe('Hash of the transaction.');
export const logIndexField = z.number().int().describe('Index of the log in its block.');
export const blockNumberField = z.number().int().describe('Number of the block.');
export const fetchedAtField = isoTimeSchema.describe(
  'The time up to which everything behind the figures is processed.',
);
export const createdAtField = isoTimeSchema.describe('When it was created.');
