import { hash } from 'node:crypto';

/** 96 bits: the chance that any two of a billion events share an id is one in a hundred billion. */
const HEX_DIGITS = 24;

/**
 * Returns the id of the event that a market created (contract, Markets): `evt_` and a hash of the first seen (provider,
 * providerMarketId). `generation` counts up if a market that left its first event creates another.
 */
export function universalIdOf(provider: string, marketId: string, generation = 0): string {
  const name = generation === 0 ? `${provider}|${marketId}` : `${provider}|${marketId}|${generation}`;
  return `evt_${hash('sha256', name, 'hex').slice(0, HEX_DIGITS)}`;
}

/** Returns a short fingerprint for detecting changes. */
export function fingerprint(text: string): string {
  return hash('sha256', text, 'base64').slice(0, 22);
}
