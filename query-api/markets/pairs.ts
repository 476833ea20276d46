import { z } from 'zod';
import { type Decimal, divide, multiply, parseDecimal, toNumber, ZERO } from '#schemas/domain/decimal';
import { decimalNumberOrNull } from '#schemas/http/scalars';
import type { AssetContext, Instrument } from '#schemas/topics/normalised';
import type { TradedFamily } from './family.ts';
import { figure } from './figure.ts';

/** A spot pair that has a name. */
interface Pair extends Instrument {
  readonly base: string;
  readonly quote: string;
  readonly quoteDecimals: number;
}

/** Only canonical pairs have a name: other pairs of the same tokens' names are recorded, but not served. */
const isPair = (instrument: Instrument): instrument is Pair => instrument.kind === 'spot' && instrument.canonical;
const nameOf = ({ base, quote }: Instrument) => `${base}-${quote}`;

const HUNDRED = parseDecimal('100');

/** Change of the mark price in per cent since 24 hours ago; null while a price is unknown or the earlier one is 0. */
function dayChangePct({ markPrice, previousDayPrice }: AssetContext): number | null {
  if (markPrice === null || previousDayPrice === null) return null;
  const [mark, previous] = [parseDecimal(markPrice), parseDecimal(previousDayPrice)];
  if (previous === ZERO) return null;
  return toNumber(divide(multiply((mark - previous) as Decimal, HUNDRED), previous));
}

const row = z.object({
  name: z.string().describe('Its name with a slash, such as HYPE/USDC.'),
  pair: z.string().describe('Its name in paths, such as HYPE-USDC.'),
  baseToken: z.string().describe('The token that is traded.'),
  quoteToken: z.string().describe('The token of its prices.'),
  baseDecimals: z.number().int().describe('Decimals of sizes of the base token.'),
  quoteDecimals: z.number().int().describe('Decimals of sizes of the quote token.'),
  index: z.number().int().describe("Its index in the venue's list."),
});

const snapshot = z.object({
  pair: z.string().describe('The pair.'),
  markPrice: figure('Mark price, quote tokens'),
  midPrice: figure('Middle of the book, quote tokens'),
  prevDayPrice: figure('Price of 24 hours ago, quote tokens'),
  dayChangePct: z
    .number()
    .nullable()
    .describe(
      'Change of the mark price since 24 hours ago, per cent; null while a price is unknown or that price is 0.',
    ),
  dayNotionalVolume: figure('Volume of the last 24 hours, quote tokens'),
  dayBaseVolume: figure('Volume of the last 24 hours, base tokens'),
});

/** Spot pairs, such as `HYPE-USDC`. */
export const PAIRS: TradedFamily<z.infer<typeof row>, z.infer<typeof snapshot>> = {
  path: '/v1/markets/venue_a/spot/pairs',
  noun: 'pair',
  plural: 'pairs',
  within: [],
  name: {
    parameter: 'pair',
    description: 'A spot pair, such as HYPE-USDC.',
    pattern: /^[A-Za-z0-9]{1,20}-[A-Za-z0-9]{1,20}$/,
    accepts: 'the names of two tokens with a dash between them, each of 1 to 20 letters and digits',
    unknown: 'unknown_pair',
  },
  units: { price: 'quote tokens', size: 'base tokens' },
  all: ({ instruments }) => [...instruments.values()].filter(isPair),
  isReceived: ({ instruments }) => [...instruments.values()].some(isPair),
  find: ({ instruments }, { pair }) => {
    for (const instrument of instruments.values())
      if (isPair(instrument) && nameOf(instrument) === pair) return instrument;
    return null;
  },
  isListed: (_coins, { delisted }) => !delisted,
  label: { field: 'pair', of: nameOf },
  row: {
    shape: row,
    of: (instrument) => {
      const { base, quote, sizeDecimals, quoteDecimals, index } = instrument as Pair;
      const tokens = { baseToken: base, quoteToken: quote, baseDecimals: sizeDecimals, quoteDecimals };
      return { name: `${base}/${quote}`, pair: nameOf(instrument), ...tokens, index };
    },
  },
  snapshot: {
    shape: snapshot,
    of: (instrument, context) => ({
      pair: nameOf(instrument),
      markPrice: decimalNumberOrNull(context.markPrice),
      midPrice: decimalNumberOrNull(context.midPrice),
      prevDayPrice: decimalNumberOrNull(context.previousDayPrice),
      dayChangePct: dayChangePct(context),
      dayNotionalVolume: decimalNumberOrNull(context.dayNotionalVolume),
      dayBaseVolume: decimalNumberOrNull(context.dayBaseVolume),
    }),
  },
  hasCandleSource: false,
};
