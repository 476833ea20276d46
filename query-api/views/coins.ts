/** View of the coins of price venues: the listed instruments and the newest context of each. */
import { onKeyed, type Stage } from '#infra/stages/stage';
import { PRICE_VENUES, type PriceVenue } from '#schemas/domain/providers';
import { type AssetContext, contextTopics, type Instrument, instrumentTopics } from '#schemas/topics/normalised';

export interface CoinsOfVenue {
  readonly instruments: Map<string, Instrument>;
  readonly contexts: Map<string, AssetContext>;
}
export type CoinsView = Readonly<Record<PriceVenue, CoinsOfVenue>>;

export const coinsView: Stage<CoinsView> = {
  name: 'view.coins',
  inputs: PRICE_VENUES.flatMap((venue) => [
    onKeyed(instrumentTopics[venue], (view: CoinsView, { key, value }) => {
      if (value) view[venue].instruments.set(key, value);
      else view[venue].instruments.delete(key);
    }),
    onKeyed(contextTopics[venue], (view: CoinsView, { key, value }) => {
      if (value) view[venue].contexts.set(key, value);
      else view[venue].contexts.delete(key);
    }),
  ]),
  outputs: [],
  initialState: () =>
    Object.fromEntries(PRICE_VENUES.map((venue) => [venue, { instruments: new Map(), contexts: new Map() }])) as Record<
      PriceVenue,
      CoinsOfVenue
    >,
};
