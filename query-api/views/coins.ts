/** View of the coins of price venues: instruments, the newest context of each, and the dexes of venue_a's builders. */
import { onKeyed, type Stage } from '#infra/stages/stage';
import { PRICE_VENUES, type PriceVenue } from '#schemas/domain/providers';
import {
  type AssetContext,
  contextTopics,
  type Instrument,
  instrumentTopics,
  type PerpDex,
  perpDexTopic,
} from '#schemas/topics/normalised';

export interface CoinsOfVenue {
  readonly instruments: Map<string, Instrument>;
  readonly contexts: Map<string, AssetContext>;
  /** By name; none of a venue without builder dexes. */
  readonly perpDexes: Map<string, PerpDex>;
}
export type CoinsView = Readonly<Record<PriceVenue, CoinsOfVenue>>;

export const coinsView: Stage<CoinsView> = {
  name: 'view.coins',
  inputs: [
    ...PRICE_VENUES.flatMap((venue) => [
      onKeyed(instrumentTopics[venue], (view: CoinsView, { key, value }) => store(view[venue].instruments, key, value)),
      onKeyed(contextTopics[venue], (view: CoinsView, { key, value }) => store(view[venue].contexts, key, value)),
    ]),
    onKeyed(perpDexTopic, (view: CoinsView, { key, value }) => store(view.venue_a.perpDexes, key, value)),
  ],
  outputs: [],
  initialState: () =>
    Object.fromEntries(
      PRICE_VENUES.map((venue) => [venue, { instruments: new Map(), contexts: new Map(), perpDexes: new Map() }]),
    ) as unknown as CoinsView,
};

/** Stores the newest record of a key; a tombstone removes it. */
function store<T>(records: Map<string, T>, key: string, value: T | null): void {
  if (value) records.set(key, value);
  else records.delete(key);
}
