/** Contexts of spot pairs: they decide what a name means, and hourly samples of them make daily rows. */
import type { Emit } from '#infra/stages/stage';
import { type SpotSample, spotSampleTopic } from '#schemas/topics/daily';
import { isOutcomeCoin } from '#schemas/venues/venue-a/outcome-coin';
import { chooseNewNames } from './canonical-pairs.ts';
import { type CoinFigures, emitContexts } from './contexts.ts';
import type { VenueAState } from './state.ts';

/** A sample is taken of contexts that are at most this old at the hour mark (contract, Daily). */
const SAMPLE_MAX_AGE_MS = 600_000;

/** Emits contexts of spot pairs, after their pairs. */
export function emitSpotContexts(state: VenueAState, contexts: CoinFigures, receivedAt: number, emit: Emit): void {
  emitContexts(state, contexts, receivedAt, emit);
  // The list contains outcomes too.
  for (const [coin] of contexts)
    if (state.instruments.get(coin)?.kind === 'spot') state.spotReports.set(coin, receivedAt);
    else if (isOutcomeCoin(coin)) state.accountMarkets.outcomeReports.set(coin, receivedAt);
  chooseNewNames(state, receivedAt, emit);
}

/** Emits a sample of every listed pair whose mark price is known, at an hour mark. */
export function emitSpotSamples(state: VenueAState, now: number, emit: Emit): void {
  for (const [coin, reportedAt] of state.spotReports) {
    const { base, quote, canonical, delisted } = state.instruments.get(coin)!;
    const { markPrice, dayBaseVolume, dayNotionalVolume, circulatingSupply } = state.contexts.get(coin)!;
    if (delisted || markPrice === null || now - reportedAt > SAMPLE_MAX_AGE_MS) continue;
    const figures = { markPrice, dayBaseVolume, dayNotionalVolume, circulatingSupply };
    const sample: SpotSample = { coin, receivedAt: now, pair: `${base}-${quote}`, canonical, ...figures };
    emit(spotSampleTopic, coin, sample);
  }
}
