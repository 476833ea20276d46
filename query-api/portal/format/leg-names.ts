/** Names of the markets of an event in charts and tables; pure. */

interface Leg {
  readonly provider: string;
  readonly marketId: string;
}

/** Characters of a market's id that are shown; those of two markets of a venue usually differ. */
const ID_SHOWN = 8;

/** The venue of each market; where a venue has several, with as much of the market's id as makes the name unique. */
export function legNames(legs: readonly Leg[]): string[] {
  const forms: ((leg: Leg) => string)[] = [
    ({ provider }) => provider,
    ({ provider, marketId }) => `${provider} ${marketId.slice(0, ID_SHOWN)}`,
  ];
  return legs.map((leg) => {
    const isAlone = (nameOf: (leg: Leg) => string) => legs.filter((one) => nameOf(one) === nameOf(leg)).length === 1;
    return forms.find(isAlone)?.(leg) ?? `${leg.provider} ${leg.marketId}`;
  });
}
