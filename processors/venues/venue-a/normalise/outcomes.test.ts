import { describe, expect, it } from 'vitest';
import { type Market, marketTopics } from '#schemas/topics/normalised';
import { bookOf, driveVenueA, START, trade } from './venue-a.fixture.ts';

const DAY = 86_400_000;
const EXPIRY = Date.UTC(2031, 3, 5, 9, 0);
const binary = 'class:priceBinary|underlying:SOL|expiry:20310405-0900|targetPrice:201.5|period:1d';
const outcome = (id: number, change: Record<string, unknown> = {}) => ({
  outcome: id,
  name: 'Recurring',
  description: binary,
  sideSpecs: [{ name: 'Yes' }, { name: 'No' }],
  quoteToken: 'USDC',
  ...change,
});
const question = (change: Record<string, unknown> = {}) => ({
  question: 3,
  name: 'Where will SOL be?',
  description: 'class:priceBucket|underlying:SOL|expiry:20310405-0900|priceThresholds:190,210|period:1d',
  fallbackOutcome: 20,
  namedOutcomes: [21, 22],
  settledNamedOutcomes: [],
  ...change,
});
const bucket = (id: number, index: number) => outcome(id, { name: 'Bucket', description: `index:${index}` });

type Venue = ReturnType<typeof driveVenueA>;
const markets = (venue: Venue): Market[] => venue.stage.emittedTo(marketTopics.venue_a);
const listed = (venue: Venue, outcomes: unknown[], questions: unknown[] = [], at = 0) =>
  venue.answer({ type: 'outcomeMeta' }, { outcomes, questions }, at);
/** Emitted markets as `id open` or `id closed`. */
const statesOf = (venue: Venue) =>
  markets(venue).map(({ marketId, closed }) => `${marketId} ${closed ? 'closed' : 'open'}`);

describe('an outcome', () => {
  it('is a market of two coins', () => {
    const venue = driveVenueA('0.00070');
    listed(venue, [outcome(7)]);
    expect(venue.stage.outputs[0]).toMatchObject({ topic: 'derived.markets.venue_a', key: '#70' });
    const [{ fields, ...market }] = markets(venue) as [Market];
    expect(market).toEqual({
      provider: 'venue_a_outcome',
      marketId: '#70',
      receivedAt: START,
      title: 'Recurring',
      description: binary,
      groupTitle: null,
      groupItemTitle: null,
      slug: null,
      resolutionSource: null,
      startTime: null,
      endTime: EXPIRY,
      instruments: ['#70', '#71'],
      outcomes: ['Yes', 'No'],
      active: true,
      closed: false,
      takerFeeRate: '0.0007',
      resolved: false,
      name: `Recurring (${binary})`,
    });
    expect(JSON.parse(fields)).toEqual({
      class: 'priceBinary',
      underlying: 'SOL',
      expiry: '20310405-0900',
      targetPrice: '201.5',
      period: '1d',
      outcome: outcome(7),
    });
  });

  it('is emitted again only when it changed', () => {
    const venue = driveVenueA();
    listed(venue, [outcome(7), outcome(8)]);
    listed(venue, [outcome(8), outcome(7)], [], 5);
    venue.stage.restart();
    listed(venue, [outcome(7), outcome(8, { name: 'Renamed' })], [], 9);
    expect(statesOf(venue)).toEqual(['#70 open', '#80 open', '#80 open']);
    expect(markets(venue)[2]).toMatchObject({ title: 'Renamed', receivedAt: START + 9 });
  });

  it('is closed when a later list lacks it, and open again when it is listed again', () => {
    const venue = driveVenueA();
    listed(venue, [outcome(7), outcome(8)]);
    listed(venue, [outcome(8)], [], 5);
    listed(venue, [outcome(8)], [], 10);
    expect(statesOf(venue)).toEqual(['#70 open', '#80 open', '#70 closed']);
    expect(markets(venue)[2]).toMatchObject({ active: false, resolved: true, receivedAt: START + 5, endTime: EXPIRY });
    listed(venue, [outcome(7), outcome(8)], [], 15);
    expect(statesOf(venue).at(-1)).toBe('#70 open');
    expect(markets(venue).at(-1)).toMatchObject({ resolved: false });
  });

  it('defaults to the sides Yes and No, and has no end time without a structured text', () => {
    const venue = driveVenueA();
    listed(venue, [
      { outcome: 9, name: 'Old', sideSpecs: [] },
      outcome(10, { description: 'Who wins the cup?', sideSpecs: [{ name: 'Lions' }, { name: 'Tigers' }] }),
    ]);
    expect(markets(venue)).toMatchObject([
      { outcomes: ['Yes', 'No'], description: '', endTime: null, name: null },
      { outcomes: ['Lions', 'Tigers'], endTime: null, name: 'Recurring (Who wins the cup?)' },
    ]);
  });

  it('has the title and the pairs of its question, and its index in it', () => {
    const venue = driveVenueA();
    listed(venue, [bucket(20, 9), bucket(21, 0), bucket(22, 1)], [question()]);
    expect(markets(venue)).toMatchObject(
      ['#200', '#210', '#220'].map((marketId) => ({ marketId, groupTitle: 'Where will SOL be?', endTime: EXPIRY })),
    );
    const fields = markets(venue).map((market) => JSON.parse(market.fields));
    expect(fields.map(({ namedIndex }) => namedIndex)).toEqual([null, 0, 1]);
    expect(fields[1]).toMatchObject({
      class: 'priceBucket',
      priceThresholds: '190,210',
      index: '0',
      question: { question: 3, named: [21, 22], fallback: 20 },
    });
  });

  it.each([
    [{ outcomes: [{ name: 'no id' }] }, 'answer.outcomes[0].outcome'],
    [{ outcomes: {} }, 'answer.outcomes'],
    [{ outcomes: [outcome(1, { name: 5 })] }, 'answer.outcomes[0].name'],
    [
      { outcomes: [outcome(1)], questions: [{ question: 1, namedOutcomes: ['x'] }] },
      'answer.questions[0].namedOutcomes[0]',
    ],
  ])('is refused with the complete list if it is malformed, and closes nothing: %j', (body, field) => {
    const venue = driveVenueA();
    listed(venue, [outcome(7)]);
    venue.answer({ type: 'outcomeMeta' }, body, 5);
    expect(statesOf(venue)).toEqual(['#70 open']);
    expect(venue.stage.deadLetters).toMatchObject([{ reason: 'malformed_answer' }]);
    expect(venue.stage.deadLetters[0]!.detail.startsWith(`${field}: `)).toBe(true);
  });
});

describe('a list without outcomes', () => {
  it('is refused while outcomes are open, and closes none', () => {
    const venue = driveVenueA();
    listed(venue, [outcome(7), outcome(8)], [question()]);
    venue.frame('outcomeMetaUpdates', [{ outcomeSettled: 7 }], 4);
    venue.stage.clear();
    listed(venue, [], [], 5);
    expect(venue.stage.outputs).toEqual([]);
    expect(venue.stage.deadLetters).toMatchObject([
      { reason: 'malformed_answer', detail: 'answer.outcomes: expected outcomes (open until now: 1), got []' },
    ]);
    expect(venue.stage.state.outcomes.questions.size).toBe(1);
    listed(venue, [outcome(8)], [question()], 6);
    expect([venue.stage.outputs, venue.stage.deadLetters.length]).toEqual([[], 1]);
  });

  it('is accepted if every outcome was settled before, and if there never was one', () => {
    const venue = driveVenueA();
    listed(venue, []);
    listed(venue, [outcome(7)], [], 1);
    venue.frame('outcomeMetaUpdates', [{ outcomeSettled: 7 }], 2);
    listed(venue, [], [], 3);
    expect([statesOf(venue), venue.stage.deadLetters]).toEqual([['#70 open', '#70 closed'], []]);
  });
});

describe('updates', () => {
  it('create and settle outcomes, as a plain list or under `updates`', () => {
    const venue = driveVenueA();
    venue.frame('outcomeMetaUpdates', [{ outcomeCreated: outcome(7) }, { outcomeCreated: outcome(8) }]);
    venue.frame('outcomeMetaUpdates', { updates: [{ outcomeSettled: 7 }, { outcomeSettled: { outcome: 8 } }] }, 5);
    venue.frame('outcomeMetaUpdates', [{ outcomeSettled: 7 }, { outcomeSettled: 99 }, { somethingNew: {} }], 6);
    expect(statesOf(venue)).toEqual(['#70 open', '#80 open', '#70 closed', '#80 closed']);
    expect(venue.stage.deadLetters).toEqual([]);
  });

  it('settle an outcome, which a list that was in flight does not undo', () => {
    const venue = driveVenueA();
    listed(venue, [outcome(7)]);
    venue.frame('outcomeMetaUpdates', [{ outcomeSettled: 7 }], 5);
    listed(venue, [outcome(7)], [], 6);
    listed(venue, [], [], 7);
    expect(statesOf(venue)).toEqual(['#70 open', '#70 closed']);
  });

  it('change the outcomes of a question', () => {
    const venue = driveVenueA();
    listed(venue, [bucket(20, 9), bucket(21, 0)], [question()]);
    venue.frame('outcomeMetaUpdates', [{ questionUpdated: question({ name: 'SOL, then?' }) }], 5);
    venue.frame('outcomeMetaUpdates', [{ questionSettled: { question: 3 } }], 6);
    expect(markets(venue).map(({ marketId, groupTitle, closed }) => [marketId, groupTitle, closed])).toEqual([
      ['#200', 'Where will SOL be?', false],
      ['#210', 'Where will SOL be?', false],
      ['#210', 'SOL, then?', false],
      ['#200', 'SOL, then?', false],
      ['#210', 'SOL, then?', true],
      ['#200', 'SOL, then?', true],
    ]);
  });

  it('are refused completely if one is malformed', () => {
    const venue = driveVenueA();
    venue.frame('outcomeMetaUpdates', [{ outcomeCreated: outcome(7) }, { outcomeCreated: {} }]);
    expect(venue.stage.outputs).toEqual([]);
    expect(venue.stage.deadLetters).toMatchObject([{ reason: 'malformed_frame' }]);
  });
});

describe('a closed outcome', () => {
  it('is removed at the first midnight a day later, together with its figures and statuses', () => {
    const venue = driveVenueA();
    listed(venue, [outcome(7)]);
    venue.frame('l2Book', bookOf('#70', [['0.4', '1']], []), 1);
    venue.frame('allMids', { mids: { '#70': '0.4' } }, 2);
    listed(venue, [outcome(8)], [], 10);
    venue.stage.clear();
    venue.clock(10 + DAY, { day: true });
    venue.clock(11 + DAY);
    expect(venue.stage.state.outcomes.outcomes.size).toBe(2);
    venue.frame('trades', [trade({ coin: '#71' })], 11 + DAY);
    expect(venue.stage.outputs.at(-2)).toMatchObject({ key: '#71', value: { outcome: 'No' } });
    venue.clock(12 + DAY, { day: true });
    expect([...venue.stage.state.outcomes.outcomes.keys()]).toEqual([8]);
    expect(venue.stage.outputs.filter(({ value }) => value === null)).toEqual([
      { topic: 'derived.contexts.venue_a', key: '#70', value: null },
      { topic: 'derived.status.venue_a', key: '#70', value: null },
    ]);
  });
});
