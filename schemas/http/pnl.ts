import { z } from 'zod';
import { coverageField } from './ledger-book.ts';

const unknown = 'null if it is not known of any part.';
const figures = {
  realized: z.number().nullable().describe(`Realized in the window; ${unknown}`),
  unrealized: z
    .number()
    .nullable()
    .describe('What the open lots of known cost would realize now; null without any mark.'),
};
const totalNotional = z.number().nullable().describe(`Price times quantity of the fills in the window; ${unknown}`);
const tradeCount = z.number().int().nullable().describe(`Fills in the window; ${unknown}`);
const fees = z.number().nullable().describe('Fees in the window, USD; null if one is unknown.');
/** What a row of wallets or builders sums up. */
const sums = {
  ...figures,
  openPosition: z.number().nullable().describe('Open positions at their marks, USD; null without any mark.'),
  totalNotional,
  tradeCount,
  fees,
  coverage: coverageField,
};
const walletCount = z.number().int().describe('Wallets behind the row.');
const provider = z.string().describe('The fine-grained provider.');
const averages = (terms: string) => ({
  openPosition: z.number().describe(`Open quantity, ${terms}.`),
  avgCost: z
    .number()
    .nullable()
    .describe(
      `Average cost of the open lots, ${terms}; null without lots, with lots of both signs or of unknown cost.`,
    ),
  currentPrice: z
    .number()
    .nullable()
    .describe(`Average mark of the open lots, ${terms}; null without lots, with lots of both signs or without a mark.`),
});

export const pnlTotalSchema = z
  .object({
    ...figures,
    totalNotional,
    unpriced: z.number().int().describe('Open books without a mark, which `unrealized` leaves out.'),
    fees,
    coverage: coverageField,
  })
  .meta({ id: 'PnlTotal' });

export const eventRowSchema = z
  .object({
    universalId: z.string().nullable().describe('The id of the event; null for a market without an event.'),
    canonicalName: z.string().nullable().describe('Its name; null without an event.'),
    ...figures,
    ...averages("in terms of the event's YES"),
    tradeCount,
    fees,
    coverage: coverageField,
    legs: z
      .array(
        z.object({
          provider,
          marketId: z.string().nullable().describe('The market; null until the catalog knows it.'),
          tokenId: z.string().nullable().describe('The token; null for coins.'),
          outcome: z.string().nullable().describe('Name of its outcome; null until the catalog names it.'),
          ...figures,
          ...averages('in terms of the token itself'),
          tradeCount,
        }),
      )
      .describe('One for each token.'),
  })
  .meta({ id: 'PnlEventRow' });

export const walletRowSchema = z
  .object({
    walletId: z.string().describe('The bound wallet.'),
    provider,
    address: z.string().describe('Its address in lower case.'),
    label: z.string().describe('Its label.'),
    ...sums,
  })
  .meta({ id: 'PnlWalletRow' });

export const providerRowSchema = z
  .object({
    provider,
    walletCount,
    ...sums,
  })
  .meta({ id: 'PnlProviderRow' });

export const builderRowSchema = z
  .object({
    provider,
    builder: z.string().describe('The builder in lower case.'),
    label: z.string().nullable().describe('Label of its platform attribution; null if it is not registered.'),
    walletCount,
    ...sums,
  })
  .meta({ id: 'PnlBuilderRow' });
