/** Names of the API in words. */

const ANOMALIES: Readonly<Record<string, string>> = {
  trade_volume_spike: 'Trade volume',
  spread_widening: 'Wide spread',
  wallet_burst: 'One wallet',
  settlement_delay: 'Late settlement',
};

/** A kind of anomaly in words. */
export function anomalyName(kind: string): string {
  return ANOMALIES[kind] ?? wordsOf(kind);
}

/** Choices of a venue; the first one is all of them. */
export const VENUE_CHOICES = [
  ['all', 'All'],
  ['venue_a', 'venue_a'],
  ['venue_b', 'venue_b'],
] as const;

const PHASES: Readonly<Record<string, string>> = { propose: 'Proposed', dispute: 'Disputed', settle: 'Settled' };

/** What happened in a phase of the oracle. */
export function phaseName(phase: string): string {
  return PHASES[phase] ?? wordsOf(phase);
}

/** `negation_pair` as "Negation pair", `settlementSource` as "Settlement source". */
export function wordsOf(name: string): string {
  const text = name.replaceAll(/[_.-]+/g, ' ').replaceAll(/(?<=[a-z])[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Ids up to this length are shown whole. */
const ID_LENGTH_MAX = 18;

/** An id or an address with its first and its last characters; a short one whole. */
export function shortened(id: string): string {
  return id.length > ID_LENGTH_MAX ? `${id.slice(0, 8)}…${id.slice(-6)}` : id;
}
