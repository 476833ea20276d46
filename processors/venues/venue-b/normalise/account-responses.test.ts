import { describe, expect, it } from 'vitest';
import { failedAcquisitionTopics, venueBAcquisitionTopic } from '#schemas/topics/accounts';
import { type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import { balanceCall } from '#schemas/venues/venue-b/balance-call';
import { COLLATERAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import { driveStage } from '../../../testing/drive-stage.fixture.ts';
import { createVenueBStage } from './stage.ts';

const USER = `0x${'b2'.repeat(20)}`;
const { pUsd, usdcE } = COLLATERAL_TOKENS;
const row = (asset: number) => `{"asset":"${asset}","size":10.50,"curPrice":0.325}`;
const page = (from: number, rows: number) => `[${Array.from({ length: rows }, (_, at) => row(from + at)).join(',')}]`;

function setUp() {
  const stage = driveStage(createVenueBStage({ confirmations: 64 }));
  const send = (stream: 'data' | 'call', request: string, payload: string, receivedAt: number) => {
    const envelope: RawEnvelope = {
      provider: 'venue_b',
      stream,
      key: `venue_b.${stream}`,
      receivedAt,
      request,
      requestedAt: null,
      payload: Buffer.from(payload),
    };
    stage.feed(rawTopic('venue_b', stream), envelope);
  };
  const positions = (payload: string, at = 1_000, query = 'sizeThreshold=0&limit=500&offset=0') =>
    send('data', `GET /positions?user=${USER.toUpperCase().replace('X', 'x')}&${query}`, payload, at);
  const balance = (token: string, units: bigint, block = 7, at = 1_000) => {
    const request = JSON.stringify({ ...balanceCall(token, USER), block });
    send('call', request, `"0x${units.toString(16).padStart(64, '0')}"`, at);
  };
  return { stage, positions, balance, emitted: () => stage.emittedTo(venueBAcquisitionTopic) };
}

describe('positions and balances of an account', () => {
  it('are one acquisition once all of them were received', () => {
    const { positions, balance, emitted } = setUp();
    positions(page(1, 1));
    balance(pUsd, 2_500_000n);
    expect(emitted()).toEqual([]);
    balance(usdcE, 1n);
    const account = `venue_b:${USER}`;
    const held = [{ asset: '1', size: '10.5', price: '0.325', redeemable: false }];
    expect(emitted()).toEqual([
      { account, receivedAt: 1_000, asOf: 1_000, positions: held, cash: ['2.5', '0.000001'] },
    ]);
  });

  it('need every page, and balances of one block', () => {
    const { positions, balance, emitted } = setUp();
    balance(pUsd, 1n, 7);
    balance(usdcE, 1n, 8);
    positions(page(0, 500));
    expect(emitted()).toEqual([]);
    positions(page(500, 2), 1_000, 'sizeThreshold=0&limit=500&offset=500');
    expect(emitted()).toEqual([]);
    balance(pUsd, 1n, 8);
    expect(emitted()[0]!.positions).toHaveLength(502);
  });

  it('do not count with a threshold or a filter', () => {
    const { positions, balance, emitted } = setUp();
    balance(pUsd, 1n);
    balance(usdcE, 1n);
    positions('[]', 1_000, 'limit=500&offset=0');
    positions('[]', 1_000, 'sizeThreshold=0&limit=500&offset=0&market=0x1');
    expect(emitted()).toEqual([]);
  });

  it('are a dead letter for a repeated page', () => {
    const { stage, positions, balance, emitted } = setUp();
    positions(page(0, 500));
    positions(page(499, 2), 1_000, 'sizeThreshold=0&limit=500&offset=500');
    balance(pUsd, 1n);
    balance(usdcE, 1n);
    expect(emitted()).toEqual([]);
    expect(stage.deadLetters).toMatchObject([{ detail: expect.stringContaining('asset') }]);
  });

  it.each([
    ['a page that is no JSON', '[{"asset":"1"', 'page 0'],
    ['a price above 1', '[{"asset":"1","size":1,"curPrice":1.5}]', 'page 0[0].curPrice'],
    ['a negative size', '[{"asset":"1","size":-1,"curPrice":1}]', 'page 0[0].size'],
    ['more of a token than there can be', '[{"asset":"1","size":1e16,"curPrice":1}]', 'page 0[0].size'],
  ])('fail as a whole, with a reason and a dead letter, for %s', (_, payload, field) => {
    const { stage, positions, balance, emitted } = setUp();
    positions(payload);
    balance(pUsd, 1n);
    balance(usdcE, 1n, 7, 2_000);
    const failed = stage.emittedTo(failedAcquisitionTopics.venue_b);
    expect(failed).toMatchObject([{ account: `venue_b:${USER}`, receivedAt: 2_000 }]);
    expect(failed[0]!.reason).toContain(field);
    expect(stage.deadLetters).toHaveLength(1);
    expect([emitted(), [...stage.state.acquiredParts]]).toEqual([[], []]);
  });

  it('fail where the venue pages no further, and where a balance is impossible', () => {
    const { stage, positions, balance } = setUp();
    balance(pUsd, 1n);
    balance(usdcE, 2n ** 200n);
    for (let offset = 0; offset <= 10_000; offset += 500)
      positions(page(offset, 500), 1_000, `sizeThreshold=0&limit=500&offset=${offset}`);
    positions('[]', 1_000);
    balance(pUsd, 1n);
    balance(usdcE, 2n ** 200n);
    const reasons = stage.emittedTo(failedAcquisitionTopics.venue_b).map(({ reason }) => reason);
    expect(reasons).toEqual([expect.stringContaining('page 20'), expect.stringContaining('balanceOf')]);
  });

  it('are as old as the oldest response, which ingest states where it published them later', () => {
    const { stage, positions, balance, emitted } = setUp();
    positions('[]', 1_000);
    balance(pUsd, 1n, 7, 2_000);
    balance(usdcE, 1n, 7, 3_000);
    positions('[]', 5_000);
    balance(pUsd, 1n, 7, 5_000);
    const request = JSON.stringify({ ...balanceCall(usdcE, USER), block: 7, oldestAt: 4_200 });
    const result = Buffer.from(`"0x${'0'.repeat(64)}"`);
    const call = { provider: 'venue_b', stream: 'call', key: 'venue_b.call', receivedAt: 5_000 } as const;
    stage.feed(rawTopic('venue_b', 'call'), { ...call, request, requestedAt: null, payload: result });
    expect(emitted().map(({ asOf, receivedAt }) => [asOf, receivedAt])).toEqual([
      [1_000, 3_000],
      [4_200, 5_000],
    ]);
  });
});
