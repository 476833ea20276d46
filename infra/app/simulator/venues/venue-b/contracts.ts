/** Contracts whose logs are on the simulated chain (venue page, sections 6 to 8). Addresses are in lower case. */

export const CHAIN_ID = 137;
export const CTF_EXCHANGE = '0xe111180000d2663c0091e4f400237545b87b996b';
export const CONDITIONAL_TOKENS = '0x4d97dcd97ec945f40cf65f87097ace5ea0476045';

/** Bridged collateral, in which redemptions and bonds are paid. */
export const COLLATERAL = '0x2791bca1f2de4661ed88a30c99a7a9449aa84174';

export const TOPIC = {
  orderFilled: '0xd543adfd945773f1a62f74f0ee55a5e3b9b1a28262980ba90b1a89f2ea84d8ee',
  ordersMatched: '0x174b3811690657c217184f89418266767c87e4805d09680c39fc9c031c0cab7c',
  conditionResolution: '0xb44d84d3289691f71497564b85d4233648d9dbae8cbdbb4329f301c3a0185894',
  conditionPreparation: '0xab3760c3bd2bb38b5bcf54dc79802ed67338b4cf29f3054ded67ed24661e4177',
  payoutRedemption: '0x2682012a4a4f1973119f1c9b90745d1bd91fa2bab387344f044cb3586864d18d',
  questionInitialized: '0xeee0897acd6893adcaf2ba5158191b3601098ab6bece35c5d57874340b64c5b7',
  questionReset: '0x7981b5832932948db4e32a4a16a0f44b2ce7ff088574afb9364b313f70f82e8f',
  questionResolved: '0x566c3fbdd12dd86bb341787f6d531f79fd7ad4ce7e3ae2d15ac0ca1b601af9df',
} as const;
