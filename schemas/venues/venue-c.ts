import { defineVenue } from './venue.ts';

const TICKER = /^[0-9A-Z][0-9A-Z.-]{0,63}$/;

/** Questions named by tickers. Planned: the names of its channels are accepted, and nothing is sent on them. */
export const venueC = defineVenue({
  venue: 'venue_c',
  providers: [
    {
      provider: 'venue_c',
      kind: 'question',
      instrument: 'ticker',
      capabilities: [],
      tradeChannel: true,
      rawChannels: [
        {
          summary: 'Book deltas of a venue_c ticker.',
          example: 'TICKER',
          accepts: (ticker) => TICKER.test(ticker),
        },
      ],
    },
  ],
  isQuestionInstrument: () => true,
});
