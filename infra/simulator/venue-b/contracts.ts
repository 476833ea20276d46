/** The contracts whose logs the simulated chain carries (venue page, sections 6 to 8). Addresses in lower case. */

export const CHAIN_ID = 137;
export const CTF_EXCHANGE = '0xe111180000d2663c0091e4f400237545b87b996b';
export const CONDITIONAL_TOKENS = '0x4d97dcd97ec945f40cf65f87097ace5ea0476045';

export const TOPIC = {
  orderFilled: '0xd543adfd945773f1a62f74f0ee55a5e3b9b1a28262980ba90b1a89f2ea84d8ee',
  ordersMatched: '0x174b3811690657c217184f89418266767c87e4805d09680c39fc9c031c0cab7c',
  conditionResolution: '0xb44d84d3289691f71497564b85d4233648d9dbae8cbdbb4329f301c3a0185894',
} as const;
