/** View of venue_a's coins: the listed instruments and the newest context of each. */
import { onKeyed, type Stage } from '#infra/stages/stage';
import { type AssetContext, contextTopics, type Instrument, instrumentTopics } from '#schemas/topics/normalised';

export interface CoinsView {
  readonly instruments: Map<string, Instrument>;
  readonly contexts: Map<string, AssetContext>;
}

export const coinsView: Stage<CoinsView> = {
  name: 'view.coins',
  inputs: [
    onKeyed(instrumentTopics.venue_a, (view: CoinsView, { key, value }) => {
      if (value) view.instruments.set(key, value);
      else view.instruments.delete(key);
    }),
    onKeyed(contextTopics.venue_a, (view: CoinsView, { key, value }) => {
      if (value) view.contexts.set(key, value);
      else view.contexts.delete(key);
    }),
  ],
  outputs: [],
  initialState: () => ({ instruments: new Map(), contexts: new Map() }),
};
