/** Compresses the patches of a market: a catalog contains hundreds of thousands of similar texts. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { MarketPatches } from './market-patch.ts';

/**
 * Preset dictionary for deflate: text that most markets have in common, about half of their bytes. The commonest comes
 * last, where deflate refers to it with the fewest bits. A state that was compressed with another dictionary cannot be
 * read, so a change here must raise the `stateVersion` of the stage.
 */
const DICTIONARY = Buffer.from(
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
/** A text has a few KiB, so a larger window would only be allocated and discarded. */
const DEFLATE_OPTIONS = { windowBits: 13, memLevel: 5, dictionary: DICTIONARY } as const;

/** Returns a string with one character per byte, the most compact form of bytes in a state. */
export function compressPatches(patches: MarketPatches): string {
  return deflateRawSync(JSON.stringify(patches), DEFLATE_OPTIONS).toString('latin1');
}

export function decompressPatches(compressed: string): MarketPatches {
  return JSON.parse(inflateRawSync(Buffer.from(compressed, 'latin1'), DEFLATE_OPTIONS).toString()) as MarketPatches;
}
