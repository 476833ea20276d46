/** Position rows of both venues, from what the venues sent (specification, Position row). An unknown figure is null. */
import { z } from 'zod';
import { asList, asObject, asText } from '#schemas/domain/json-fields';

const figure = (text: string) => z.number().nullable().describe(`${text} Null if the venue states none.`);
const name = (text: string) => z.string().nullable().describe(`${text} Null if the venue states none.`);
const provider = <const P extends string>(venue: P) => z.literal(venue).describe('The venue.');

const venueARow = z
  .object({
    provider: provider('venue_a'),
    dex: z.string().describe('Empty for the main dex.'),
    coin: name('With the dex of a builder before it.'),
    szi: figure('Size, negative for a short position.'),
    entryPx: figure('Average entry price.'),
    positionValue: figure('Value at the mark price.'),
    unrealizedPnl: figure('Profit at the mark price.'),
    leverage: z
      .object({ type: name('`cross` or `isolated`.'), value: figure('Factor.') })
      .nullable()
      .describe('Leverage; null if the venue states none.'),
    liquidationPx: figure('Price at which it is liquidated.'),
    marginUsed: figure('Margin.'),
  })
  .describe('A perpetual of venue_a, in the collateral of its dex.');

const venueBRow = z
  .object({
    provider: provider('venue_b'),
    conditionId: name('The market.'),
    outcome: name('Name of the outcome.'),
    size: figure('Tokens.'),
    avgPrice: figure('Average price.'),
    currentValue: figure('Value at the current price, USD.'),
    cashPnl: figure('Profit at the current price, USD.'),
    title: name('Title of the market.'),
  })
  .describe('A token of venue_b.');

export const positionRowSchema = z.discriminatedUnion('provider', [venueARow, venueBRow]);
export type PositionRow = z.infer<typeof positionRowSchema>;

/** Rows of a `clearinghouseState`. */
export function venueAPositionRows(dex: string, state: unknown): PositionRow[] {
  return asList(asObject(state).assetPositions).map((entry) => {
    const { coin, szi, entryPx, positionValue, unrealizedPnl, leverage, liquidationPx, marginUsed } = asObject(
      asObject(entry).position,
    );
    const { type, value } = asObject(leverage);
    return {
      provider: 'venue_a',
      dex,
      coin: asText(coin),
      szi: asFigure(szi),
      entryPx: asFigure(entryPx),
      positionValue: asFigure(positionValue),
      unrealizedPnl: asFigure(unrealizedPnl),
      leverage: leverage === undefined || leverage === null ? null : { type: asText(type), value: asFigure(value) },
      liquidationPx: asFigure(liquidationPx),
      marginUsed: asFigure(marginUsed),
    };
  });
}

/** Rows of `/positions`. */
export function venueBPositionRows(rows: readonly unknown[]): PositionRow[] {
  return rows.map((row) => {
    const { conditionId, outcome, size, avgPrice, currentValue, cashPnl, title } = asObject(row);
    return {
      provider: 'venue_b',
      conditionId: asText(conditionId),
      outcome: asText(outcome),
      size: asFigure(size),
      avgPrice: asFigure(avgPrice),
      currentValue: asFigure(currentValue),
      cashPnl: asFigure(cashPnl),
      title: asText(title),
    };
  });
}

/** A number, or text with one; null for anything else. */
function asFigure(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
