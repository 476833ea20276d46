import { describe, expect, it } from 'vitest';
import { compressPatches, decompressPatches } from './compressed-catalog.ts';
import type { MarketPatches } from './market-patch.ts';

const PATCHES: MarketPatches = {
  gamma: {
    title: 'Will “Zoë” open the bridge by June?',
    // It starts like the dictionary, so any change of the dictionary changes the compressed text.
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
/** `compressPatches(PATCHES)` in a snapshot, in base64. */
const STORED =
  'w5U5HjXMico/vPpRw1yF/IJUSEZNKspMSU9VSKpU8CrNSyU1y4CyLSjHZJYoFJckVhYrFGeUllC/EAY5NDmzpHIgC2NwqZafk0PbQhm5xEitSMwtyEnVyy9KJ7msBqlITyxJBRU7aEWLoaGSjpKREenlCyx7Y8m6lgYGBgaGWDIcLAMkZ5aAki3OJAsA';

describe('compressed patches', () => {
  it('are decompressed to the original', () => {
    expect(decompressPatches(compressPatches(PATCHES))).toEqual(PATCHES);
  });

  it('can be read from an existing snapshot: if this fails, raise the stateVersion of the stage and store the new text', () => {
    expect(decompressPatches(Buffer.from(STORED, 'base64').toString('latin1'))).toEqual(PATCHES);
  });
});
