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
