import { defineVenue, EVENT_CAPABILITIES } from './venue.ts';

const TOKEN_ID = /^[1-9]\d{0,77}$/;
const TOKEN_ID_END = 1n << 256n;

/** Questions whose outcomes are tokens on a chain. */
export const venueB = defineVenue({
  venue: 'venue_b',
  providers: [
    {
      provider: 'venue_b',
      kind: 'question',
      instrument: 'token',
      capabilities: [...EVENT_CAPABILITIES, 'disputes', 'stream.disputes', 'stream.raw'],
      tradeChannel: true,
      rawChannels: [
        {
          summary: 'Books, price changes and last trades of a venue_b token, as the venue sends them.',
          example: '123',
          // A uint256 without leading zeros.
          accepts: (token) => TOKEN_ID.test(token) && BigInt(token) < TOKEN_ID_END,
        },
      ],
    },
  ],
  accounts: { walletProvider: 'venue_b', builderDigits: 64 },
  streams: [
    {
      stream: 'gamma',
      carries: 'answers',
      partitions: 1,
      description: 'Catalog responses of venue_b.',
      upstream: {
        setting: 'venueBGammaUrl',
        variable: 'PARALLAX_VENUE_B_GAMMA_URL',
        description: 'venue_b catalog.',
        protocols: ['http'],
        publicUrl: 'https://gamma-api.polymarket.com',
      },
    },
    {
      stream: 'clob',
      carries: 'answers',
      partitions: 1,
      description: 'Market and book responses of venue_b.',
      upstream: {
        setting: 'venueBClobUrl',
        variable: 'PARALLAX_VENUE_B_CLOB_URL',
        description: 'venue_b books and markets.',
        protocols: ['http'],
        publicUrl: 'https://clob.polymarket.com',
      },
    },
    {
      stream: 'clob_ws',
      carries: 'frames',
      partitions: 4,
      description: 'Market-socket frames of venue_b.',
      upstream: {
        setting: 'venueBClobWsUrl',
        variable: 'PARALLAX_VENUE_B_CLOB_WS_URL',
        description: 'venue_b book stream.',
        protocols: ['ws'],
        publicUrl: 'wss://ws-subscriptions-clob.polymarket.com/ws/market',
      },
    },
    {
      stream: 'data',
      carries: 'answers',
      partitions: 1,
      description: 'Account responses of venue_b.',
      upstream: {
        setting: 'venueBDataUrl',
        variable: 'PARALLAX_VENUE_B_DATA_URL',
        description: 'venue_b accounts.',
        protocols: ['http'],
        publicUrl: 'https://data-api.polymarket.com',
      },
    },
    {
      stream: 'pnl',
      carries: 'answers',
      partitions: 1,
      description: 'PnL series of venue_b.',
      upstream: {
        setting: 'venueBPnlUrl',
        variable: 'PARALLAX_VENUE_B_PNL_URL',
        description: 'venue_b PnL series, with the full path of its route.',
        protocols: ['http'],
        publicUrl: 'https://user-pnl-api.polymarket.com/user-pnl',
      },
    },
    {
      stream: 'rpc',
      carries: 'frames',
      partitions: 1,
      description:
        "Block headers, logs and final block numbers of venue_b's chain; one partition, since a chain is one sequence.",
      upstream: {
        setting: 'venueBRpcUrl',
        variable: 'PARALLAX_VENUE_B_RPC_URL',
        description: 'venue_b chain JSON-RPC.',
        protocols: ['http', 'ws'],
        publicUrl: 'https://polygon-bor-rpc.publicnode.com',
      },
    },
    {
      stream: 'call',
      carries: 'answers',
      partitions: 1,
      description: "Balances of accounts on venue_b's chain: results of `eth_call`, each with its call and block.",
    },
    {
      stream: 'history',
      carries: 'answers',
      partitions: 1,
      description:
        "Past fills of venue_b's chain that a backfill found: one transaction for each record, with its block.",
    },
  ],
  isQuestionInstrument: () => true,
});
