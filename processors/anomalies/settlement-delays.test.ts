import { describe, expect, it } from 'vitest';
import { type AnomaliesDriver, driveAnomalies, event, minute, resolution } from './anomalies.fixture.ts';

const DAY = 1_440;
const HOUR_SEC = 3_600;
const names = Array.from({ length: 60 }, (_, at) => `m${at}`);

/** Markets decided an hour after their end, one an hour. */
function begun(count: number): AnomaliesDriver {
  const stage = driveAnomalies();
  stage.event(event('evt_1', names));
  for (let at = 0; at < count; at += 1) stage.resolution(resolution(`m${at}`, minute(at * 60), HOUR_SEC));
  return stage;
}
const late = (at: number, delaySec = 9 * 900 + HOUR_SEC) => resolution('m59', minute(at), delaySec);

describe('the settlement detector', () => {
  it('tells a market that is decided far later than those of its provider, as it is decided', () => {
    const stage = begun(30);
    const decided = late(30 * 60);
    stage.resolution(decided);
    expect(stage.told()).toMatchObject([
      {
        kind: 'settlement_delay',
        universalId: 'evt_1',
        marketId: 'm59',
        ts: decided.resolvedAt,
        receivedAt: decided.receivedAt,
        value: '11700',
        bucketVol: null,
        baselineMean: '3600',
        baselineStddev: '0',
        zScore: '9',
        raw: JSON.stringify({
          baselineCount: 30,
          resolution: decided.id,
          endTime: new Date(decided.endTime!).toISOString(),
          delaySec: '11700',
        }),
      },
    ]);
  });

  it('needs 30 settlements, of the last 30 days', () => {
    const few = begun(29);
    few.resolution(late(30 * 60));
    expect(few.told()).toEqual([]);
    const old = begun(30);
    old.resolution(late(30 * DAY + 1));
    expect(old.told()).toEqual([]);
    const new30 = begun(30);
    new30.resolution(late(30 * DAY));
    expect(new30.told()).toHaveLength(1);
  });

  it('tells nothing of markets that were decided in time, or before it', () => {
    const stage = begun(30);
    stage.resolution(late(30 * 60, -30 * 86_400));
    stage.resolution(resolution('m58', minute(31 * 60), HOUR_SEC + 5 * 900));
    expect(stage.told()).toEqual([]);
  });

  it('counts a settlement once, and not once it is reverted', () => {
    const stage = begun(28);
    const pending = resolution('m28', minute(28 * 60), HOUR_SEC, { status: 'pending' });
    stage.resolution(pending);
    stage.resolution({ ...pending, status: 'confirmed' }, minute(29 * 60));
    stage.resolution(late(29 * 60));
    expect(stage.told()).toEqual([]);
    const last = resolution('m30', minute(30 * 60), HOUR_SEC, { status: 'pending' });
    stage.resolution(last);
    stage.driver.restart();
    stage.resolution({ ...last, status: 'reverted' }, minute(30 * 60));
    stage.resolution({ ...late(29 * 60), status: 'reverted' }, minute(30 * 60));
    expect(stage.driver.state.delays.get('venue_b')!.count).toBe(29);
    stage.resolution(resolution('m31', minute(31 * 60), HOUR_SEC));
    stage.resolution(late(32 * 60));
    expect(stage.told()).toHaveLength(1);
  });

  it('leaves out markets without an end date', () => {
    const stage = begun(30);
    stage.resolution({ ...late(30 * 60), endTime: null });
    expect(stage.told()).toEqual([]);
    expect(stage.driver.state.delays.get('venue_b')!.count).toBe(30);
  });

  it('judges a market that no event has as soon as one has it', () => {
    const stage = begun(30);
    const unknown = (fields: object) =>
      stage.resolution({ ...resolution('unknown', minute(30 * 60), 10 ** 7), ...fields });
    unknown({ status: 'pending' });
    unknown({ status: 'confirmed' });
    unknown({ id: 'gone', marketId: 'other' });
    unknown({ id: 'gone', marketId: 'other', status: 'reverted' });
    stage.driver.restart();
    expect(stage.told()).toEqual([]);
    const known = { receivedAt: minute(31 * 60) };
    stage.event(event('evt_2', ['unknown', 'other'], known));
    stage.event(event('evt_2', ['unknown', 'other'], known));
    expect(stage.told()).toMatchObject([{ universalId: 'evt_2', marketId: 'unknown', ...known }]);
    expect(stage.driver.state.delays.get('venue_b')!.count).toBe(31);
    expect(stage.driver.state.waitingResolutions.size).toBe(0);
  });

  it('keeps nothing for later that it could not judge then', () => {
    const stage = begun(1);
    const past = resolution('unknown', minute(30 * 60), 10 ** 7, { blockNumber: null, decidedAfter: null });
    stage.resolution(past);
    stage.resolution({ ...past, id: 'endless', marketId: 'endless', blockNumber: 5, endTime: null });
    expect(stage.driver.state.waitingResolutions.size).toBe(0);
  });

  it('says nothing of a decision that may have been made in time', () => {
    const stage = begun(30);
    const found = late(30 * 60);
    // Nobody listened for an hour, and it was decided when somebody did again.
    const offChain = { ...found, blockNumber: null, decidedAfter: found.resolvedAt - 3_600_000 };
    stage.resolution(offChain);
    stage.resolution({ ...offChain, decidedAfter: null });
    expect(stage.told()).toEqual([]);
    expect(stage.driver.state.delays.get('venue_b')!.count).toBe(30);
    stage.resolution({ ...offChain, decidedAfter: found.resolvedAt - 60_000 });
    expect(stage.told()).toHaveLength(1);
  });
});
