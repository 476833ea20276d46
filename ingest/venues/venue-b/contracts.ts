/**
 * The logs of the chain that are kept: whose, and which (venue page, sections 6 to 8). New contracts appear and old ones
 * stay readable, so a contract is added here and none is taken away.
 */

export const EXCHANGES = {
  ctfExchangeV1: '0x4bFb41d5B3570DeFd03C39a9A4D8dE6Bd8B8982E',
  negRiskExchangeV1: '0xC5d563A36AE78145C45a50134d48A1215220f80a',
  ctfExchangeV2: '0xE111180000d2663C0091e4f400237545B87B996B',
  negRiskExchangeV2: '0xe2222d279d744050d28e00520010520000310F59',
  negRiskExchangeV2Variant: '0xe2222d002000ba0053cef3375333610f64600036',
} as const;

/** Holds the tokens, and says how a condition was resolved. */
export const CONDITIONAL_TOKENS = '0x4D97DCd97eC945f40cF65F87097ACe5EA0476045';

export const TOPICS = {
  orderFilledV1: '0xd0a08e8c493f9c94f29311604c9de1b4e8c8d4c06bd0c789af57f2d65bfec0f6',
  orderFilledV2: '0xd543adfd945773f1a62f74f0ee55a5e3b9b1a28262980ba90b1a89f2ea84d8ee',
  ordersMatchedV1: '0x63bf4d16b7fa898ef4c4b2b6d90fd201e9c56313b65638af6088d149d2ce956c',
  ordersMatchedV2: '0x174b3811690657c217184f89418266767c87e4805d09680c39fc9c031c0cab7c',
  conditionResolution: '0xb44d84d3289691f71497564b85d4233648d9dbae8cbdbb4329f301c3a0185894',
} as const;

/** One call takes all: any of these addresses with any of these topics. */
export const CHAIN_FILTER = {
  addresses: [...Object.values(EXCHANGES), CONDITIONAL_TOKENS],
  topics: Object.values(TOPICS),
} as const;
