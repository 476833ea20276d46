/** What was told of a market in few bytes: a catalog is hundreds of thousands of texts that are much alike. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { MarketTellings } from './market-telling.ts';

/**
 * What most tellings have in common, so that it need not be kept with each: about half of them otherwise. The commonest
 * comes last, as deflate reaches it the cheapest. A state that was packed with another text cannot be read: whoever
 * changes this raises the `stateVersion` of the stage.
 */
const COMMON = Buffer.from(
  'This market will resolve to "No" if . The primary resolution source for this market will be official information ' +
    'from , however a consensus of credible reporting will also be used. Please note that this market is about the ' +
    'price according to , not according to other sources or spot markets.\\n\\nThe resolution source for this market is ' +
    ', specifically the prices currently available at https://www. with the date specified in the title. ' +
    'Otherwise, this market will resolve to \\"No\\".\\n\\nThis market will resolve to \\"Yes\\" if ' +
    '{"gamma":{"title":"Will be above on ?","description":"This market will resolve to \\"Yes\\" if ","groupTitle":"",' +
    '"groupItemTitle":"","slug":"will-","resolutionSource":"https://www.","startTime":17,"endTime":17,' +
    '"instruments":["","],"outcomes":["Yes","No"],"active":true,"closed":true,"archived":false,"acceptingOrders":false,' +
    '"active":true,"closed":false,"archived":false,"acceptingOrders":true,"feesEnabled":false,"feesEnabled":true,' +
    '"feeRate":"0.07","fields":{"gammaId":"","questionID":"0x","negRisk":true,"negRiskMarketID":"0x",' +
    '"negRiskRequestID":"0x","negRisk":false,"groupItemThreshold":"0","resolvedBy":"0x","startDate":"2026-",' +
    '"closedTime":"2026-","eventId":"","eventSlug":"","tags":["sports","politics","crypto","crypto-prices",' +
    '"recurring","hide-from-new"],"series":[""]}},"clob":{"fields":{}}}',
);
/** A text is a few KiB: a larger window would only be made and thrown away. */
const SIZE = { windowBits: 13, memLevel: 5, dictionary: COMMON } as const;

/** One character per byte, which is how a state keeps bytes most cheaply. */
export function packTellings(tellings: MarketTellings): string {
  return deflateRawSync(JSON.stringify(tellings), SIZE).toString('latin1');
}

export function unpackTellings(packed: string): MarketTellings {
  return JSON.parse(inflateRawSync(Buffer.from(packed, 'latin1'), SIZE).toString()) as MarketTellings;
}
