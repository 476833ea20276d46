/**
 * Derives the daily rows of venue_a: at the mark of a UTC day the rows of the day before, and at any later mark the rows
 * of past days that a repair or older bars changed.
 */
import { type Emit, on, type Stage, type StageRecord } from '#infra/stages/stage';
import {
  type Candle,
  type CandleRange,
  candleRangeTopic,
  candleTopic,
  venueCandleRangeTopics,
  venueCandleTopics,
} from '#schemas/topics/candles';
import { type ClockMark, clockTopic } from '#schemas/topics/control';
import { dailyRowTopic, type SpotSample, spotSampleTopic } from '#schemas/topics/daily';
import { startOfDay } from './days.ts';
import { addBar, addRange, dropOldDays, emitPerps, isOther, joinBuckets } from './perp-days.ts';
import { addSample, emitPairs } from './spot-days.ts';
import { createDailyState, type DailyState } from './state.ts';

export function createDailyStage(): Stage<DailyState> {
  return {
    name: 'daily.venue_a',
    stateVersion: 3,
    slicedMaps: ['perps'],
    inputs: [
      on(candleTopic, onBar),
      on(candleRangeTopic, onRange),
      on(venueCandleTopics.venue_a, onBar),
      on(venueCandleRangeTopics.venue_a, onRange),
      on(spotSampleTopic, (state: DailyState, { value }: StageRecord<SpotSample>) => addSample(state, value)),
      on(clockTopic, onClock),
    ],
    outputs: [dailyRowTopic],
    initialState: createDailyState,
  };
}

function onBar(state: DailyState, record: StageRecord<Candle>): void {
  if (!isOther(record.key)) addBar(state, record.value);
}

function onRange(state: DailyState, record: StageRecord<CandleRange>): void {
  if (!isOther(record.key)) addRange(state, record.value);
}

function onClock(state: DailyState, { value }: StageRecord<ClockMark>, emit: Emit): void {
  const now = value.receivedAt;
  const isNewDay = startOfDay(now) !== startOfDay(state.markedAt);
  state.markedAt = now;
  emitPerps(state, now, isNewDay, emit);
  if (isNewDay) {
    emitPairs(state, now, emit);
    dropOldDays(state, now);
  }
  joinBuckets(state);
}
