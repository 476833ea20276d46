/** The exchange contracts whose logs are trades, and the events read from them (venue page, sections 6 and 7). */

/**
 * Exchange instances, lower case: CTF v1, neg-risk v1, CTF v2, neg-risk v2, its variant, v3. A log with the right
 * topic from any other contract is no trade: whoever deploys a contract can make it say anything.
 */
export const EXCHANGES: readonly string[] = [
  '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e',
  '0xc5d563a36ae78145c45a50134d48a1215220f80a',
  '0xe111180000d2663c0091e4f400237545b87b996b',
  '0xe2222d279d744050d28e00520010520000310f59',
  '0xe2222d002000ba0053cef3375333610f64600036',
  '0xe3333700ca9d93003f00f0f71f8515005f6c00aa',
];

/** topic0 of `OrderFilled` of the v1 exchanges: sides are told by which asset id is 0 (collateral). */
export const ORDER_FILLED_V1 = '0xd0a08e8c493f9c94f29311604c9de1b4e8c8d4c06bd0c789af57f2d65bfec0f6';
/** topic0 of `OrderFilled` of the v2 and v3 exchanges: side and token are fields of their own. */
export const ORDER_FILLED_V2 = '0xd543adfd945773f1a62f74f0ee55a5e3b9b1a28262980ba90b1a89f2ea84d8ee';
