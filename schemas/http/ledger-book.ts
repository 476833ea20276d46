import { z } from 'zod';
import { EFFECT_KINDS } from '../domain/ledger/effect.ts';
import { isoTimeSchema } from './scalars.ts';

const qty = z.number().describe('Quantity, negative for a lot that was sold before it was bought.');
const openedBy = z.string().describe('Id of the event that opened the lot.');

export const coverageField = z
  .enum(['complete', 'partial'])
  .describe('`partial` where something is or may be left out, as until the venue has confirmed the position.');

/** A book of a ledger (contract, Money: ledgers and PnL). */
export const explainedBookSchema = z
  .object({
    walletId: z.string().describe('The bound wallet.'),
    provider: z.string().describe('The fine-grained provider of the instrument.'),
    marketId: z.string().nullable().describe('The market of the instrument; null until the catalog knows it.'),
    tokenId: z.string().nullable().describe('The token; null for coins.'),
    outcome: z.string().nullable().describe('Name of its outcome; null until the catalog names it.'),
    builder: z.string().nullable().describe('Builder of the book; null for the book without builder.'),
    openPosition: z.number().describe('Sum of the open lots.'),
    avgCost: z.number().nullable().describe('Null without lots, with lots of both signs or with one of unknown cost.'),
    realized: z.number().nullable().describe('Sum of what the events realized; null if none of it is known.'),
    coverage: coverageField,
  })
  .describe('The book.');

export const openLotSchema = z.object({
  openedBy,
  openedAt: isoTimeSchema.describe("The venue's time of that event."),
  qty,
  price: z.number().nullable().describe('Null if its cost is unknown.'),
});

export const bookEventSchema = z.object({
  id: z.string().describe('Id of the event; of a fill, the id of its trade.'),
  kind: z.enum(EFFECT_KINDS).describe('What happened.'),
  ts: isoTimeSchema.describe("The venue's time."),
  receivedAt: isoTimeSchema.describe('When it reached the ledger.'),
  qty: z.number().describe('Change of the position; negative: quantity left it.'),
  price: z.number().nullable().describe('Null where it is unknown, and where lots were removed at cost.'),
  realized: z.number().nullable().describe('Realized on the closed lots; null if none of them has a known cost.'),
  fee: z.number().nullable().describe('USD; null if it is unknown.'),
  closes: z.array(z.object({ openedBy, qty })).describe('The closed parts of lots, in order.'),
});
