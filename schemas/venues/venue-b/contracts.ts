/**
 * The contracts of venue_b's chain whose logs are read, and their events (venue page, sections 6 to 8). Addresses are in
 * lower case. New contracts appear and old ones must stay readable, so contracts are added here and never removed.
 */

/**
 * Exchanges, whose `OrderFilled` logs are trades. The same log from any other contract is no trade: anyone can deploy a
 * contract that emits it.
 */
export const EXCHANGES = {
  ctfV1: '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e',
  negRiskV1: '0xc5d563a36ae78145c45a50134d48a1215220f80a',
  ctfV2: '0xe111180000d2663c0091e4f400237545b87b996b',
  negRiskV2: '0xe2222d279d744050d28e00520010520000310f59',
  negRiskV2Variant: '0xe2222d002000ba0053cef3375333610f64600036',
  v3: '0xe3333700ca9d93003f00f0f71f8515005f6c00aa',
} as const;

/** The tokens in which accounts hold cash, with 6 decimals. */
export const COLLATERAL_TOKENS = {
  pUsd: '0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb',
  usdcE: '0x2791bca1f2de4661ed88a30c99a7a9449aa84174',
} as const;

/** Holds the tokens, and logs how a condition was resolved. */
export const CONDITIONAL_TOKENS = '0x4d97dcd97ec945f40cf65f87097ace5ea0476045';

/**
 * Optimistic oracles. Other projects use them too, so a log of theirs counts only if its requester is one of
 * `STANDARD_ADAPTERS` or `NEG_RISK_ADAPTERS`. `encodeOracleLog` (`oracle-logs.ts`) encodes their logs.
 */
export const ORACLES = {
  optimisticV2: '0xee3afe347d5c74317041e2618c49534daf887c24',
  managed: '0x2c0367a9db231ddebd88a94b4f6461a6e47c58b1',
} as const;

/** Requesters whose question id is that of the condition: the adapter is the oracle of the condition. */
export const STANDARD_ADAPTERS = {
  v1: '0xcb1822859cef82cd2eb4e6276c7916e692995130',
  v2: '0x6a9d222616c90fca5754cd1333cfd9b7fb6a4f74',
  v3: '0x157ce2d672854c848c9b79c49a8cc6cc89176a49',
  v4: '0x65070be91477460d8a7aeeb94ef92fe056c2f2a7',
} as const;

/** Requesters whose request is tied to a question only by `QuestionPrepared` of a neg-risk operator. */
export const NEG_RISK_ADAPTERS = {
  first: '0x2f5e3684cb1f318ec51b00edba38d79ac2c0aa9d',
  v4: '0x69c47de9d4d3dad79590d61b9e05918e03775f24',
} as const;

/** Contracts that emit `QuestionPrepared` with the id of the request. */
export const NEG_RISK_OPERATORS = {
  first: '0x71523d0f655b41e805cec45b17163f528b59b820',
  newer: '0x661992aebf6becf7ba5abb66f6b0bf62aa7a2e93',
} as const;

/** The oracle of every neg-risk condition: it prepares and resolves them. */
export const NEG_RISK_ADAPTER = '0xd91e80cf2e7be2e162c6513ced06f1dd0da35296';

/** Through which collateral of v2 splits, merges and redeems. */
export const COLLATERAL_ADAPTERS = [
  '0xada100db00ca00073811820692005400218fce1f',
  '0xada2005600dec949baf300f4c6120000bdb6eaab',
  '0xada100874d00e3331d00f2007a9c336a65009718',
] as const;

/** Refund the part of a fee of v1 that was too much. */
export const FEE_MODULES = [
  '0xe3f18acc55091e2c48d883fc8c8413319d4ab7b0',
  '0xb768891e3130f6df18214ac804d4db76c2c37730',
  '0x78769d50be1763ed1ca0d5e878d93f05aabff29e',
] as const;

/** topic0 of each event. */
export const CHAIN_EVENTS = {
  /** Of the v1 exchanges: the asset id that is 0 (collateral) determines the side. */
  orderFilledV1: '0xd0a08e8c493f9c94f29311604c9de1b4e8c8d4c06bd0c789af57f2d65bfec0f6',
  /** Of the v2 and v3 exchanges: side and token are fields of their own. */
  orderFilledV2: '0xd543adfd945773f1a62f74f0ee55a5e3b9b1a28262980ba90b1a89f2ea84d8ee',
  ordersMatchedV1: '0x63bf4d16b7fa898ef4c4b2b6d90fd201e9c56313b65638af6088d149d2ce956c',
  ordersMatchedV2: '0x174b3811690657c217184f89418266767c87e4805d09680c39fc9c031c0cab7c',
  conditionResolution: '0xb44d84d3289691f71497564b85d4233648d9dbae8cbdbb4329f301c3a0185894',
  /** Of the oracles. */
  requestPrice: '0xf1679315ff325c257a944e0ca1bfe7b26616039e9511f9610d4ba3eca851027b',
  proposePrice: '0x6e51dd00371aabffa82cd401592f76ed51e98a9ea4b58751c70463a2c78b5ca1',
  disputePrice: '0x5165909c3d1c01c5d1e121ac6f6d01dda1ba24bc9e1f975b5a375339c15be7f3',
  settle: '0x3f384afb4bd9f0aef0298c80399950011420eb33b0e1a750b20966270247b9a0',
  /** Of the neg-risk operators, with the id of the request; the adapter's event of that name has none. */
  questionPrepared: '0xcdc45423ec79c60a3fe3de57272e598d71a4ec88822e822ac8e134184a8435aa',
  /** Of the token contract: collateral became a complete set of outcome tokens, or the reverse. */
  positionSplit: '0x2e6bb91f8cbcda0c93623c54d0403a43514fabc40084ec96b6d5379a74786298',
  positionsMerge: '0x6f13ca62553fcc2bcd2372180a43949c1e4cebba603901ede2f4e14f36b282ca',
  /** The same of the neg-risk adapter, whose conditions have two outcomes. */
  negRiskSplit: '0xbbed930dbfb7907ae2d60ddf78345610214f26419a0128df39b6cc3d9e5df9b0',
  negRiskMerge: '0xba33ac50d8894676597e6e35dc09cff59854708b642cd069d21eb9c7ca072a04',
  /** Of the neg-risk adapter: NO tokens of several questions became the YES tokens of the others, and collateral. */
  positionsConverted: '0xb03d19dddbc72a87e735ff0ea3b57bef133ebe44e1894284916a84044deb367e',
  /** Of the token contract: outcome tokens moved from one account to another. */
  transferSingle: '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
  transferBatch: '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
  /** Of the collateral tokens. */
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
} as const;

/** `YES_OR_NO_QUERY`, padded right: the only identifier whose prices answer a yes-or-no question. */
export const YES_OR_NO_QUERY = '0x5945535f4f525f4e4f5f51554552590000000000000000000000000000000000';

/** Prices in logs of the oracle: p2, p1, p3, and int256 min for "too early, ask again". */
export const ORACLE_PRICES = {
  '1': 10n ** 18n,
  '0': 0n,
  '0.5': 5n * 10n ** 17n,
  ignore: -(2n ** 255n),
} as const;
