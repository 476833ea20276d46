import { describe, expect, it } from 'vitest';
import { fillPageTopic, subscribedFillTopic } from '#schemas/topics/account-fills';
import { driveVenueA, START } from './venue-a.fixture.ts';

const USER = `0x${'Ab'.repeat(20)}`;
const fill = (fields: Record<string, unknown> = {}) => ({
  coin: 'BTC',
  px: '70100.0',
  sz: '0.250',
  side: 'B',
  time: START,
  startPosition: '0.0',
  dir: 'Open Long',
  closedPnl: '0.0',
  hash: '0x1',
  oid: 7,
  crossed: false,
  fee: '0.5',
  tid: 11,
  feeToken: 'USDC',
  ...fields,
});
const request = { type: 'userFillsByTime', user: USER, startTime: 5 };

describe('an answer with fills of an account', () => {
  it('is one page with all of its fills', () => {
    const driver = driveVenueA();
    driver.answer(request, [fill(), fill({ tid: 12 })], 9);
    driver.answer({ ...request, type: 'userTwapSliceFillsByTime', endTime: 8 }, [{ fill: fill(), twapId: 1 }], 10);
    const pages = driver.stage.emittedTo(fillPageTopic);
    const common = { user: USER.toLowerCase(), from: 5, isFull: false };
    expect(pages).toMatchObject([
      { ...common, list: 'orders', until: null, receivedAt: START + 9, fills: [{ tid: 11 }, { tid: 12, qty: '0.25' }] },
      { ...common, list: 'twaps', until: 8, fills: [{ tid: 11, role: 'maker' }] },
    ]);
  });

  it('is full with as many fills as the venue returns at most', () => {
    const driver = driveVenueA();
    driver.answer(
      request,
      Array.from({ length: 2_000 }, (_, tid) => fill({ tid })),
    );
    expect(driver.stage.emittedTo(fillPageTopic)).toMatchObject([{ isFull: true }]);
  });

  it.each([
    ['a fill without a position', [fill(), fill({ startPosition: undefined })]],
    ['fills that descend', [fill(), fill({ time: START - 1 })]],
    ['no list', { fills: [] }],
  ])('is a dead letter and no page with %s', (_, body) => {
    const driver = driveVenueA();
    driver.answer(request, body);
    expect(driver.stage.emittedTo(fillPageTopic)).toEqual([]);
    expect(driver.stage.deadLetters).toMatchObject([{ reason: 'malformed_answer' }]);
  });

  it('is no page where fills are aggregated, and where the account is unknown', () => {
    const driver = driveVenueA();
    driver.answer({ ...request, aggregateByTime: true }, [fill()]);
    driver.answer(request, 'null');
    expect(driver.stage.emittedTo(fillPageTopic)).toEqual([]);
    expect(driver.stage.deadLetters).toEqual([]);
  });
});

describe('a frame with fills of an account', () => {
  it('states its fills, of a snapshot too', () => {
    const driver = driveVenueA();
    driver.frame('userFills', { user: USER, fills: [fill({ tid: 12 }), fill()], isSnapshot: true }, 9);
    driver.frame('userFills', { user: USER, fills: [] }, 10);
    driver.frame('userFills', { user: USER, fills: [fill({ tid: 13 })] }, 11);
    expect(driver.stage.emittedTo(subscribedFillTopic)).toMatchObject([
      { user: USER.toLowerCase(), receivedAt: START + 9, fills: [{ tid: 12 }, { tid: 11 }] },
      { user: USER.toLowerCase(), receivedAt: START + 11, fills: [{ tid: 13, qty: '0.25' }] },
    ]);
  });

  it.each([
    ['a fill that cannot be read', { user: USER, fills: [fill(), fill({ sz: 'NaN' })] }],
    ['no user', { fills: [fill()] }],
    ['no list', { user: USER, fills: {} }],
  ])('is a dead letter with %s', (_, data) => {
    const driver = driveVenueA();
    driver.frame('userFills', data);
    expect(driver.stage.deadLetters.map(({ reason }) => reason)).toEqual(['malformed_frame']);
    expect(driver.stage.emittedTo(subscribedFillTopic)).toEqual([]);
  });
});
