import type { MarketTexts } from './question.ts';

/** Returns the source of the price in lower case: the named source, else the resolution source in the rules. */
export function settlementSourceOf({ resolutionSource, description }: MarketTexts): string | null {
  const stated =
    /resolution source (?:for this market )?(?:is|will be) (?:information from )?(?:the )?([^.\n]{2,80}?)(?:,|\.|\n| specifically| currently|$)/i.exec(
      description,
    );
  const words = resolutionSource || stated?.[1];
  return words ? words.trim().toLowerCase().slice(0, 80) : null;
}
