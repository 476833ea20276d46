import { describe, expect, it } from 'vitest';
import { type AnomaliesDriver, driveAnomalies, event, minute, resolution } from './anomalies.fixture.ts';

const DAY = 1_440;
const HOUR_SEC = 3_600;
const names = Array.from({ length: 60 }, (_, at) => `m${at}`);

/** Markets resolved an hour after their end, one each hour. */
function startStage(count: number): AnomaliesDriver {
  const stage = driveAnomalies();
  stage.event(event('evt_1', names));
  for (let at = 0; at < count; at += 1) stage.resolution(resolution(`m${at}`, minute(at * 60), HOUR_SEC));
  return stage;
}
const late = (at: number, delaySec = 9 * 900 + HOUR_SEC) => resolution('m59', minute(at), delaySec);

describe('the settlement detector', () => {
  it('emits a market that is resolved far later than others of its provider, at its resolution', () => {
    const stage = startStage(30);
    const resolved = late(30 * 60);
    stage.resolution(resolved);
    expect(stage.anomalies()).toMatchObject([
      {
        kind: 'settlement_delay',
        universalId: 'evt_1',
        marketId: 'm59',
        ts: resolved.resolvedAt,
        receivedAt: resolved.receivedAt,
        value: '11700',
        bucketVol: null,
        baselineMean: '3600',
        baselineStddev: '0',
        zScore: '9',
        raw: JSON.stringify({
          baselineCount: 30,
          resolution: resolved.id,
          endTime: new Date(resolved.endTime!).toISOString(),
          delaySec: '11700',
        }),
      },
    ]);
  });

  it('needs 30 settlements of the last 30 days', () => {
    const few = startStage(29);
    few.resolution(late(30 * 60));
    expect(few.anomalies()).toEqual([]);
    const old = startStage(30);
    old.resolution(late(30 * DAY + 1));
    expect(old.anomalies()).toEqual([]);
    const new30 = startStage(30);
    new30.resolution(late(30 * DAY));
    expect(new30.anomalies()).toHaveLength(1);
  });

  it('emits nothing for markets that were resolved in time or early', () => {
    const stage = startStage(30);
    stage.resolution(late(30 * 60, -30 * 86_400));
    stage.resolution(resolution('m58', minute(31 * 60), HOUR_SEC + 5 * 900));
    expect(stage.anomalies()).toEqual([]);
  });

  it('counts a settlement once, and not at all after its reversal', () => {
    const stage = startStage(28);
    const pending = resolution('m28', minute(28 * 60), HOUR_SEC, { status: 'pending' });
    stage.resolution(pending);
    stage.resolution({ ...pending, status: 'confirmed' }, minute(29 * 60));
    stage.resolution(late(29 * 60));
    expect(stage.anomalies()).toEqual([]);
    const last = resolution('m30', minute(30 * 60), HOUR_SEC, { status: 'pending' });
    stage.resolution(last);
    stage.driver.restart();
    stage.resolution({ ...last, status: 'reverted' }, minute(30 * 60));
    stage.resolution({ ...late(29 * 60), status: 'reverted' }, minute(30 * 60));
    expect(stage.driver.state.delays.get('venue_b')!.count).toBe(29);
    stage.resolution(resolution('m31', minute(31 * 60), HOUR_SEC));
    stage.resolution(late(32 * 60));
    expect(stage.anomalies()).toHaveLength(1);
  });

  it('ignores markets without an end date', () => {
    const stage = startStage(30);
    stage.resolution({ ...late(30 * 60), endTime: null });
    expect(stage.anomalies()).toEqual([]);
    expect(stage.driver.state.delays.get('venue_b')!.count).toBe(30);
  });

  it('evaluates a market without an event as soon as it has one', () => {
    const stage = startStage(30);
    const unknown = (fields: object) =>
      stage.resolution({ ...resolution('unknown', minute(30 * 60), 10 ** 7), ...fields });
    unknown({ status: 'pending' });
    unknown({ status: 'confirmed' });
    unknown({ id: 'gone', marketId: 'other' });
    unknown({ id: 'gone', marketId: 'other', status: 'reverted' });
    stage.driver.restart();
    expect(stage.anomalies()).toEqual([]);
    const known = { receivedAt: minute(31 * 60) };
    stage.event(event('evt_2', ['unknown', 'other'], known));
    stage.event(event('evt_2', ['unknown', 'other'], known));
    expect(stage.anomalies()).toMatchObject([{ universalId: 'evt_2', marketId: 'unknown', ...known }]);
    expect(stage.driver.state.delays.get('venue_b')!.count).toBe(31);
    expect(stage.driver.state.waitingResolutions.size).toBe(0);
  });

  it('stores no resolution that it could not evaluate later', () => {
    const stage = startStage(1);
    const uncertain = resolution('unknown', minute(30 * 60), 10 ** 7, { blockNumber: null, decidedAfter: null });
    stage.resolution(uncertain);
    stage.resolution({ ...uncertain, id: 'endless', marketId: 'endless', blockNumber: 5, endTime: null });
    expect(stage.driver.state.waitingResolutions.size).toBe(0);
  });

  it('ignores a resolution that may have been in time', () => {
    const stage = startStage(30);
    const found = late(30 * 60);
    // The feed was down for an hour, and the market was resolved when it came back.
    const offChain = { ...found, blockNumber: null, decidedAfter: found.resolvedAt - 3_600_000 };
    stage.resolution(offChain);
    stage.resolution({ ...offChain, decidedAfter: null });
    expect(stage.anomalies()).toEqual([]);
    expect(stage.driver.state.delays.get('venue_b')!.count).toBe(30);
    stage.resolution({ ...offChain, decidedAfter: found.resolvedAt - 60_000 });
    expect(stage.anomalies()).toHaveLength(1);
  });
});
