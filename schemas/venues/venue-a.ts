import { ALL_INSTRUMENTS, defineVenue, EVENT_CAPABILITIES } from './venue.ts';
import { isOutcomeCoin } from './venue-a/outcome-coin.ts';

/**
 * Coins as on the wire, except outcomes: main-dex names like `BTC`, builder-dex names like `dex:SYMBOL`, pairs like
 * `PURR/USDC` and `@107` (venue page, section 2.1).
 */
const COIN = /^(?:@\d{1,9}|(?:[0-9A-Za-z]{1,16}[:/])?[0-9A-Za-z][0-9A-Za-z_.-]{0,31})$/;

/** Perpetuals, spot pairs and outcomes, each named by a coin. */
export const venueA = defineVenue({
  venue: 'venue_a',
  providers: [
    {
      provider: 'venue_a_perp',
      kind: 'price',
      instrument: 'coin',
      capabilities: [
        ...(['markets', 'orderbook', 'trades', 'candles', 'daily', 'leaderboard', 'info'] as const),
        ...(['stream.trades', 'stream.raw'] as const),
      ],
      tradeChannel: true,
      rawChannels: [
        { ...ALL_INSTRUMENTS, summary: 'All mid prices of venue_a, as the venue sends them.' },
        {
          summary: 'Level-2 book frames of a perpetual or a pair (`@107`, `PURR/USDC`), as the venue sends them.',
          example: 'BTC',
          accepts: (coin) => COIN.test(coin),
        },
      ],
    },
    {
      provider: 'venue_a_outcome',
      kind: 'question',
      instrument: 'coin',
      capabilities: [...EVENT_CAPABILITIES, 'stream.raw'],
      tradeChannel: true,
      rawChannels: [
        { ...ALL_INSTRUMENTS, summary: "All messages about venue_a's outcome coins, as the venue sends them." },
      ],
    },
    {
      provider: 'venue_a_dex',
      kind: 'price',
      instrument: 'coin',
      capabilities: ['markets', 'orderbook', 'trades', 'candles', 'stream.trades'],
      tradeChannel: true,
    },
  ],
  accounts: { walletProvider: 'venue_a_perp', builderDigits: 40 },
  streams: [
    {
      stream: 'info',
      carries: 'answers',
      partitions: 1,
      description:
        'REST `info` responses of venue_a about markets, the fills and series of followed accounts, and what an acquisition needs; others about accounts only of a recording.',
      upstream: {
        setting: 'venueAApiUrl',
        variable: 'PARALLAX_VENUE_A_API_URL',
        description: 'venue_a REST base.',
        protocols: ['http'],
        publicUrl: 'https://api.hyperliquid.xyz',
      },
    },
    {
      stream: 'ws',
      carries: 'frames',
      partitions: 4,
      description: 'WebSocket frames of venue_a.',
      upstream: {
        setting: 'venueAWsUrl',
        variable: 'PARALLAX_VENUE_A_WS_URL',
        description: 'venue_a WebSocket.',
        protocols: ['ws'],
        publicUrl: 'wss://api.hyperliquid.xyz/ws',
      },
    },
    {
      stream: 'stats',
      carries: 'exports',
      partitions: 1,
      description: "Exports of venue_a's stats host, in parts.",
      upstream: {
        setting: 'venueAStatsUrl',
        variable: 'PARALLAX_VENUE_A_STATS_URL',
        description: 'venue_a stats exports.',
        protocols: ['http'],
        publicUrl: 'https://stats-data.hyperliquid.xyz',
      },
    },
    {
      stream: 'builder_fills',
      carries: 'exports',
      partitions: 1,
      description: "Daily files of fills under registered builders, from venue_a's stats host, in parts.",
    },
    {
      stream: 'node_fills',
      carries: 'frames',
      partitions: 1,
      description: 'Lines of the files into which a self-hosted node of venue_a writes the fills of all users.',
    },
    {
      stream: 'klines',
      carries: 'answers',
      partitions: 1,
      description: 'Klines and listings of the external exchange.',
      upstream: {
        setting: 'externalExchangeUrl',
        variable: 'PARALLAX_EXTERNAL_EXCHANGE_URL',
        description: "The external exchange's futures REST.",
        protocols: ['http'],
        publicUrl: 'https://fapi.binance.com',
      },
    },
  ],
  isQuestionInstrument: isOutcomeCoin,
});
