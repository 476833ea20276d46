import { describe, expect, it } from 'vitest';
import type { MarketTellings } from './market-telling.ts';
import { packTellings, unpackTellings } from './packed-tellings.ts';

const TELLINGS: MarketTellings = {
  gamma: {
    title: 'Will “Zoë” open the bridge by June?',
    // Begins as the common text does: whatever is put in or left out behind that makes it another one.
    description:
      'This market will resolve to "No" if it stays shut. The primary resolution source for this market will be official ' +
      'information from the city, however a consensus of credible reporting will also be used. Please note that this ' +
      'market is about the price according to the toll, not according to other sources or spot markets.\n\nThe resolution ' +
      'source for this market is https://www.example.org, specifically the prices currently available at the gate.',
    instruments: ['11', '22'],
    outcomes: ['Yes', 'No'],
    active: true,
    closed: false,
    fields: { gammaId: '900001', negRisk: false, tags: ['cities'] },
  },
  clob: { fields: {} },
};
/** `packTellings(TELLINGS)` as a snapshot holds it, in base64. */
const KEPT =
  'w5U5HjXMico/vPpRw1yF/IJUSEZNKspMSU9VSKpU8CrNSyU1y4CyLSjHZJYoFJckVhYrFGeUllC/EAY5NDmzpHIgC2NwqZafk0PbQhm5xEitSMwtyEnVyy9KJ7msBqlITyxJBRU7aEWLoaGSjpKREenlCyx7Y8m6lgYGBgaGWDIcLAMkZ5aAki3OJAsA';

describe('a packed telling', () => {
  it('is read as it was told', () => {
    expect(unpackTellings(packTellings(TELLINGS))).toEqual(TELLINGS);
  });

  it('of a snapshot is still read: where this fails, raise the stateVersion of the stage and keep the new text', () => {
    expect(unpackTellings(Buffer.from(KEPT, 'base64').toString('latin1'))).toEqual(TELLINGS);
  });
});
