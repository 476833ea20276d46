import { describe, expect, it } from 'vitest';
import { marketTopics } from '#schemas/topics/normalised';
import { resolutionTopics } from '#schemas/topics/oracle';
import { defaultBatchSize } from '../../../shared/drop-oldest.ts';
import { SETTLED_MAX } from './settlements.ts';
import { driveVenueA, START } from './venue-a.fixture.ts';

const EXPIRY = Date.UTC(2031, 3, 5, 9, 0);
const spec = (
  outcome: number,
  description = 'class:priceBinary|underlying:SOL|expiry:20310405-0900|targetPrice:201',
) => ({
  outcome,
  name: 'Recurring',
  description,
  sideSpecs: [{ name: 'Yes' }, { name: 'No' }],
  quoteToken: 'USDC',
});

type Venue = ReturnType<typeof driveVenueA>;
const listed = (venue: Venue, outcomes: number[], at = 0) =>
  venue.answer({ type: 'outcomeMeta' }, { outcomes: outcomes.map((id) => spec(id)), questions: [] }, at);
const settled = (venue: Venue, outcome: number, settleFraction: unknown, at: number, more: object = {}) =>
  venue.answer(
    { type: 'settledOutcome', outcome },
    { spec: spec(outcome), settleFraction, details: 'price:202.5', ...more },
    at,
  );
const resolutions = (venue: Venue) => venue.stage.emittedTo(resolutionTopics.venue_a);

describe('a settled outcome', () => {
  it('resolves its market as of the first message that closed it', () => {
    const venue = driveVenueA();
    listed(venue, [7]);
    venue.frame('outcomeMetaUpdates', [{ outcomeSettled: 7 }], 5);
    venue.stage.restart();
    settled(venue, 7, '1.0', 9);
    expect(resolutions(venue)).toEqual([
      {
        id: 'venue_a_outcome:#70',
        provider: 'venue_a_outcome',
        marketId: '#70',
        payouts: ['1', '0'],
        resolvedAt: START + 5,
        decidedAfter: START,
        receivedAt: START + 9,
        endTime: EXPIRY,
        txHash: null,
        logIndex: null,
        blockNumber: null,
        blockHash: null,
        status: 'confirmed',
      },
    ]);
    expect(venue.stage.outputs.at(-1)).toMatchObject({ topic: 'derived.resolutions.venue_a', key: '#70' });
  });

  it.each([
    ['0.0', ['0', '1']],
    ['0.5', ['0.5', '0.5']],
    ['0.125', ['0.125', '0.875']],
  ])('pays for the fraction %s the payouts %j', (fraction, payouts) => {
    const venue = driveVenueA();
    settled(venue, 7, fraction, 9);
    expect(resolutions(venue)).toMatchObject([{ payouts }]);
  });

  it('has a lower bound of its resolution time: the last list with it, or the update itself', () => {
    const venue = driveVenueA();
    venue.feedEvent('connected', 0);
    listed(venue, [7, 8, 9]);
    listed(venue, [7, 8, 9], 60_000);
    // An hour without a connection.
    settled(venue, 7, '1.0', 3_660_000);
    venue.feedEvent('disconnected', 3_700_000);
    venue.feedEvent('connected', 3_800_000);
    venue.stage.restart();
    // A changed question does not show that its outcomes are still open.
    const question = { question: 3, name: 'Where?', description: '', namedOutcomes: [8], fallbackOutcome: 9 };
    venue.frame('outcomeMetaUpdates', [{ questionUpdated: question }, { outcomeSettled: 8 }], 3_800_001);
    settled(venue, 8, '1.0', 3_810_000);
    venue.frame('outcomeMetaUpdates', [{ outcomeSettled: 9 }], 3_900_000);
    settled(venue, 9, '1.0', 3_910_000);
    expect(
      resolutions(venue).map(({ decidedAfter, resolvedAt }) => [decidedAfter! - START, resolvedAt - START]),
    ).toEqual([
      [60_000, 3_660_000],
      [60_000, 3_800_001],
      [3_900_000, 3_900_000],
    ]);
  });

  it('was resolved after an answer that shows it as not resolved yet', () => {
    const venue = driveVenueA();
    listed(venue, [7, 8]);
    listed(venue, [8], 60_000);
    venue.answer({ type: 'settledOutcome', outcome: 7 }, 'null', 61_000);
    settled(venue, 7, '1.0', 121_000);
    expect(resolutions(venue)).toMatchObject([{ decidedAfter: START + 61_000, resolvedAt: START + 121_000 }]);
  });

  it('is emitted once, also after a restart', () => {
    const venue = driveVenueA();
    listed(venue, [7]);
    settled(venue, 7, '1.0', 5);
    venue.stage.restart();
    settled(venue, 7, '1.0', 6);
    listed(venue, [], 7);
    expect([resolutions(venue).length, venue.stage.deadLetters]).toEqual([1, []]);
  });

  it('closes its market if nothing else did', () => {
    const venue = driveVenueA();
    listed(venue, [7]);
    settled(venue, 7, '1.0', 5);
    listed(venue, [7], 6);
    expect(venue.stage.emittedTo(marketTopics.venue_a).map(({ closed }) => closed)).toEqual([false, true]);
    expect(resolutions(venue)).toMatchObject([{ resolvedAt: START + 5 }]);
  });

  it('is emitted as a closed market once before its resolution if it was never listed', () => {
    const venue = driveVenueA();
    const question = { question: { settled: 3 }, name: 'Which band?', description: 'period:15m' };
    settled(venue, 7, '1.0', 9, { question });
    venue.stage.restart();
    settled(venue, 7, '1.0', 19, { question });
    expect(venue.stage.outputs.map(({ topic }) => topic)).toEqual([
      marketTopics.venue_a.name,
      resolutionTopics.venue_a.name,
    ]);
    const [market] = venue.stage.emittedTo(marketTopics.venue_a);
    expect(market).toMatchObject({
      marketId: '#70',
      receivedAt: START + 9,
      groupTitle: 'Which band?',
      endTime: EXPIRY,
      instruments: ['#70', '#71'],
      active: false,
      closed: true,
      resolved: true,
    });
    expect(JSON.parse(market!.fields)).toMatchObject({
      period: '15m',
      targetPrice: '201',
      question: { name: 'Which band?' },
    });
    // The time of its resolution is unknown.
    expect(resolutions(venue)).toMatchObject([{ decidedAfter: null }]);
  });

  it('was resolved after the first of two lists if it came and went between them', () => {
    const venue = driveVenueA();
    listed(venue, [3, 7]);
    listed(venue, [3, 7], 60_000);
    // Two days without a list, and another in which the newest one disappeared, too.
    listed(venue, [3, 12], 172_800_000);
    venue.stage.restart();
    listed(venue, [3, 15], 259_200_000);
    for (const id of [2, 6, 8, 11, 13, 14]) settled(venue, id, '1.0', 259_201_000);
    expect(resolutions(venue).map(({ marketId, decidedAfter }) => [marketId, decidedAfter && decidedAfter - START]))
      // The creation time of those below the first list is unknown.
      .toEqual([
        ['#20', null],
        ['#60', null],
        ['#80', 60_000],
        ['#110', 60_000],
        ['#130', 172_800_000],
        ['#140', 172_800_000],
      ]);
  });

  it('has the deadline of its text, or of its question, if it was never listed', () => {
    const venue = driveVenueA();
    settled(venue, 7, '1.0', 9);
    settled(venue, 8, '0.0', 9, {
      spec: spec(8, 'index:1'),
      question: { question: { settled: 3 }, name: 'Where?', description: 'class:priceBucket|expiry:20310405-0900' },
    });
    settled(venue, 9, '0.0', 9, { spec: spec(9, 'Who wins the cup?') });
    expect(
      resolutions(venue).map(({ endTime, decidedAfter, resolvedAt }) => [endTime, decidedAfter, resolvedAt]),
    ).toEqual([
      [EXPIRY, null, START + 9],
      [EXPIRY, null, START + 9],
      [null, null, START + 9],
    ]);
  });

  it('does not exist while the venue answers null', () => {
    const venue = driveVenueA();
    listed(venue, [7]);
    venue.answer({ type: 'settledOutcome', outcome: 7 }, 'null', 5);
    expect([resolutions(venue), venue.stage.deadLetters]).toEqual([[], []]);
  });

  it.each([
    [{ settleFraction: '1.1' }, 'answer.settleFraction'],
    [{ settleFraction: '-0.1' }, 'answer.settleFraction'],
    [{ settleFraction: 1 }, 'answer.settleFraction'],
    [{ settleFraction: undefined }, 'answer.settleFraction'],
    [{ spec: { name: 'no id' } }, 'answer.spec.outcome'],
  ])('is refused completely if it is malformed: %j', (change, field) => {
    const venue = driveVenueA();
    listed(venue, [7]);
    venue.stage.clear();
    settled(venue, 7, '1.0', 5, change);
    expect(venue.stage.outputs).toEqual([]);
    expect(venue.stage.deadLetters).toMatchObject([{ reason: 'malformed_answer' }]);
    expect(venue.stage.deadLetters[0]!.detail.startsWith(`${field}: `)).toBe(true);
  });

  it('is stored up to a bound', () => {
    const venue = driveVenueA();
    for (let id = 1; id <= SETTLED_MAX + 1; id += 1) settled(venue, id, '1.0', 5);
    expect(venue.stage.state.outcomes.resolved.size).toBe(SETTLED_MAX + 1 - defaultBatchSize(SETTLED_MAX));
    expect(venue.stage.state.outcomes.resolved.has(1)).toBe(false);
    expect(resolutions(venue)).toHaveLength(SETTLED_MAX + 1);
  });
});
