import { hash } from 'node:crypto';

/** 96 bits: no two of a billion events share an id but by a chance of one in a hundred billion. */
const HEX_DIGITS = 24;

/**
 * The id of the event that a market founded (contract, Markets): `evt_` and a hash of the first seen (provider,
 * providerMarketId). A market that founds another event, having left its first one, counts up `generation`.
 */
export function universalIdOf(provider: string, marketId: string, generation = 0): string {
  const name = generation === 0 ? `${provider}|${marketId}` : `${provider}|${marketId}|${generation}`;
  return `evt_${hash('sha256', name, 'hex').slice(0, HEX_DIGITS)}`;
}

/** A short fingerprint, for telling whether something changed. */
export function fingerprint(text: string): string {
  return hash('sha256', text, 'base64').slice(0, 22);
}
