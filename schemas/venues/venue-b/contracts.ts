/**
 * The contracts of venue_b's chain that are listened to, and the events read from them (venue page, sections 6 to 8).
 * Addresses in lower case. New contracts appear and old ones stay readable, so one is added here and none taken away.
 */

/**
 * Exchanges, whose `OrderFilled` are trades. A log with the right topic from any other contract is no trade: whoever
 * deploys a contract can make it say anything.
 */
export const EXCHANGES = {
  ctfV1: '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e',
  negRiskV1: '0xc5d563a36ae78145c45a50134d48a1215220f80a',
  ctfV2: '0xe111180000d2663c0091e4f400237545b87b996b',
  negRiskV2: '0xe2222d279d744050d28e00520010520000310f59',
  negRiskV2Variant: '0xe2222d002000ba0053cef3375333610f64600036',
  v3: '0xe3333700ca9d93003f00f0f71f8515005f6c00aa',
} as const;

/** Holds the tokens, and says how a condition was resolved. */
export const CONDITIONAL_TOKENS = '0x4d97dcd97ec945f40cf65f87097ace5ea0476045';

/** topic0 of each event. */
export const CHAIN_EVENTS = {
  /** Of the v1 exchanges: sides are told by which asset id is 0 (collateral). */
  orderFilledV1: '0xd0a08e8c493f9c94f29311604c9de1b4e8c8d4c06bd0c789af57f2d65bfec0f6',
  /** Of the v2 and v3 exchanges: side and token are fields of their own. */
  orderFilledV2: '0xd543adfd945773f1a62f74f0ee55a5e3b9b1a28262980ba90b1a89f2ea84d8ee',
  ordersMatchedV1: '0x63bf4d16b7fa898ef4c4b2b6d90fd201e9c56313b65638af6088d149d2ce956c',
  ordersMatchedV2: '0x174b3811690657c217184f89418266767c87e4805d09680c39fc9c031c0cab7c',
  conditionResolution: '0xb44d84d3289691f71497564b85d4233648d9dbae8cbdbb4329f301c3a0185894',
} as const;
