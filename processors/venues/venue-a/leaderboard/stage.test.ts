import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { partPayload } from '#schemas/domain/export-parts';
import { type LeaderboardRow, leaderboardRowTopic, leaderboardTopic } from '#schemas/topics/leaderboard';
import { rawTopic } from '#schemas/topics/raw';
import { LEADERBOARD_REQUEST } from '#schemas/venues/venue-a/leaderboard-export';
import { driveStage } from '../../../testing/drive-stage.fixture.ts';
import { createLeaderboardStage } from './stage.ts';

const STATS = rawTopic('venue_a', 'stats');
const address = (nth: number) => `0x${nth.toString(16).padStart(40, '0')}`;

/** A row as the venue writes it. */
const trader = (nth: number, fields: object = {}) => ({
  ethAddress: address(nth),
  accountValue: '48857952.3308470026',
  windowPerformances: ['day', 'week', 'month', 'allTime'].map((window, at) => [
    window,
    { pnl: `-${at}.50`, roi: '0.0133582723', vlm: '3250555746.66' },
  ]),
  prize: 0,
  displayName: null,
  ...fields,
});

/** The texts of parts: the rows of each list, as the venue would send all of them. */
function textsOf(lists: readonly (readonly unknown[])[]): string[] {
  return lists.map((rows, at) => {
    const text = rows.map((row) => JSON.stringify(row)).join(',');
    return `${at === 0 ? '{"leaderboardRows":[' : ','}${text}${at === lists.length - 1 ? ']}' : ''}`;
  });
}

function drive() {
  const stage = driveStage(createLeaderboardStage());
  const feedTexts = (texts: readonly string[], receivedAt: number, indexes = [...texts.keys()]) => {
    for (const index of indexes) {
      const payload = partPayload({ index, count: texts.length }, gzipSync(texts[index]!));
      feedPayload(payload, receivedAt + index);
    }
  };
  const feedPayload = (payload: Buffer, receivedAt: number, request = LEADERBOARD_REQUEST) =>
    stage.feed(STATS, {
      provider: 'venue_a',
      stream: 'stats',
      key: 'venue_a.stats',
      receivedAt,
      request,
      requestedAt: null,
      payload,
    });
  return {
    stage,
    feedTexts,
    feedPayload,
    rows: () => stage.emittedTo(leaderboardRowTopic),
    boards: () => stage.emittedTo(leaderboardTopic),
    reasons: () => stage.deadLetters.map(({ reason }) => reason),
  };
}

describe('the leaderboard stage', () => {
  it('emits each row with exact figures, and the board after the last row', () => {
    const { stage, feedTexts, rows, boards } = drive();
    feedTexts(textsOf([[trader(1, { displayName: 'ABC' })], [trader(2)]]), 5_000);
    expect(rows()[0]).toEqual({
      capturedAt: 5_000,
      address: address(1),
      displayName: 'ABC',
      accountValue: '48857952.3308470026',
      dayPnl: '-0.5',
      dayRoi: '0.0133582723',
      dayVlm: '3250555746.66',
      weekPnl: '-1.5',
      weekRoi: '0.0133582723',
      weekVlm: '3250555746.66',
      monthPnl: '-2.5',
      monthRoi: '0.0133582723',
      monthVlm: '3250555746.66',
      allTimePnl: '-3.5',
      allTimeRoi: '0.0133582723',
      allTimeVlm: '3250555746.66',
    } satisfies LeaderboardRow);
    expect(rows()[1]).toMatchObject({ capturedAt: 5_000, address: address(2), displayName: null });
    expect(boards()).toEqual([{ capturedAt: 5_000, rows: 2 }]);
    expect(stage.outputs.at(-1)?.topic).toBe(leaderboardTopic.name);
  });

  it('lists an address that occurs twice once, whatever its case, with its first row', () => {
    const { feedTexts, rows, boards } = drive();
    const upper = `0x${'AB'.repeat(20)}`;
    const twice = [trader(1, { ethAddress: upper, displayName: 'first' }), trader(2)];
    feedTexts(textsOf([twice, [trader(1, { ethAddress: upper.toLowerCase(), displayName: 'second' })]]), 1_000);
    expect(rows().map(({ address, displayName }) => [address, displayName])).toEqual([
      [upper.toLowerCase(), 'first'],
      [address(2), null],
    ]);
    expect(boards()).toEqual([{ capturedAt: 1_000, rows: 2 }]);
  });

  it('emits null for figures that the venue does not state', () => {
    const { feedTexts, rows } = drive();
    const week = [['week', { pnl: null, vlm: '' }]];
    feedTexts(textsOf([[trader(1, { windowPerformances: week, accountValue: undefined })]]), 1_000);
    expect(rows()[0]).toMatchObject({ accountValue: null, dayPnl: null, weekPnl: null, weekRoi: null, weekVlm: null });
  });

  it.each([
    ['an address', { ethAddress: '0x12' }],
    ['a figure', { accountValue: 'much' }],
    ['a figure with 21 digits before the point', { accountValue: `1${'0'.repeat(20)}` }],
    ['windows', { windowPerformances: {} }],
    ['figures of a window', { windowPerformances: [['day', null]] }],
  ])('leaves out a row with an invalid form of %s, and counts it as a dead letter', (_, fields) => {
    const { feedTexts, rows, boards, reasons } = drive();
    feedTexts(textsOf([[trader(1), trader(2, fields), trader(3)]]), 1_000);
    expect(rows().map((row) => row.address)).toEqual([address(1), address(3)]);
    expect(boards()).toEqual([{ capturedAt: 1_000, rows: 2 }]);
    expect(reasons()).toEqual(['malformed_row']);
  });

  it('drops a board with more than 100 unreadable rows, whose shape has changed', () => {
    const bad = (count: number) => Array.from({ length: count }, (_, nth) => ({ address: address(nth) }));
    const { stage, feedTexts, boards, reasons } = drive();
    feedTexts(textsOf([bad(60), bad(41), [trader(1)]]), 1_000);
    expect(boards()).toEqual([]);
    expect(reasons()).toHaveLength(101);
    stage.clear();
    feedTexts(textsOf([bad(60), bad(40), [trader(1)]]), 2_000);
    expect(boards()).toEqual([{ capturedAt: 2_000, rows: 1 }]);
  });

  it.each([
    ['lists nobody', '{"leaderboardRows":[]}', []],
    ['is not JSON', '<html>', ['malformed_export']],
    ['is cut off', '{"leaderboardRows":[{"ethAddress":', ['malformed_export']],
    ['has another shape', '{"rows":[]}', ['malformed_export']],
  ])('publishes no board for an export that %s', (_, text, expected) => {
    const { stage, feedTexts, reasons } = drive();
    feedTexts([text], 1_000);
    expect(stage.outputs).toEqual([]);
    expect(reasons()).toEqual(expected);
  });

  const good = textsOf([[trader(1)], [trader(2)]]);
  it.each([
    ['is cut off', [good[0]!, good[1]!.slice(0, 40)], [0, 1]],
    ['stops after its first part', good, [0]],
    ['has another shape', ['{"rows":[{}]}'], [0]],
    ['has rows of another shape', textsOf([Array.from({ length: 101 }, () => ({ address: address(1) }))]), [0]],
    ['lists nobody', ['{"leaderboardRows":[]}'], [0]],
  ])('leaves the published board as it is after an export that %s, and publishes the next one', (_, texts, indexes) => {
    const { stage, feedTexts, boards } = drive();
    feedTexts(good, 1_000);
    expect(boards()).toEqual([{ capturedAt: 1_000, rows: 2 }]);
    stage.clear();
    feedTexts(texts, 2_000, indexes);
    expect(stage.outputs.filter(({ topic }) => topic === leaderboardTopic.name)).toEqual([]);
    feedTexts(good, 3_000);
    expect(boards()).toEqual([{ capturedAt: 3_000, rows: 2 }]);
  });

  it('ignores answers to other requests, and writes a payload that is no part to the dead letters', () => {
    const { stage, feedPayload, reasons } = drive();
    feedPayload(Buffer.from('anything'), 1_000, 'GET /Mainnet/vaults');
    expect([stage.outputs, reasons()]).toEqual([[], []]);
    feedPayload(Buffer.from('short'), 2_000);
    feedPayload(partPayload({ index: 0, count: 1 }, Buffer.from('not gzip')), 3_000);
    expect([stage.outputs, reasons()]).toEqual([[], ['malformed_export', 'malformed_export']]);
  });

  it('publishes no board of which parts are missing, and the next board completely', () => {
    const texts = textsOf([[trader(1)], [trader(2)], [trader(3)]]);
    for (const missing of [0, 1, 2]) {
      const { feedTexts, boards, rows } = drive();
      feedTexts(
        texts,
        1_000,
        [0, 1, 2].filter((index) => index !== missing),
      );
      expect(boards()).toEqual([]);
      feedTexts(texts, 2_000);
      expect(boards()).toEqual([{ capturedAt: 2_000, rows: 3 }]);
      expect(rows().filter(({ capturedAt }) => capturedAt === 2_000)).toHaveLength(3);
    }
  });

  it('continues a board after a restart between two parts', () => {
    const { stage, feedTexts, boards } = drive();
    const texts = textsOf([
      [trader(1), trader(2)],
      [trader(2), trader(3)],
    ]);
    feedTexts(texts, 1_000, [0]);
    stage.restart();
    feedTexts(texts, 1_000, [1]);
    expect(boards()).toEqual([{ capturedAt: 1_000, rows: 3 }]);
  });

  it('removes the records of all boards but the newest three', () => {
    const { stage, feedTexts } = drive();
    for (const at of [1_000, 2_000, 3_000, 4_000, 5_000]) feedTexts(textsOf([[trader(1)]]), at);
    const removed = stage.outputs.filter(({ topic, value }) => topic === leaderboardTopic.name && value === null);
    expect(removed.map(({ key }) => key)).toEqual(['1000', '2000']);
  });
});
