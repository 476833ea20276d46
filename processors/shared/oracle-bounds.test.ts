/** Tests which state of settlements is stored, and until when. */
import { expect, it } from 'vitest';
import { aLink, aMarket, aResolution } from '#schemas/testing/records.fixture';
import type { Resolution } from '#schemas/topics/oracle';
import { defaultBatchSize } from './drop-oldest.ts';
import { anEvent } from './oracle-records.fixture.ts';
import { createOracleState, updateYesIndex } from './oracle-state.ts';
import { applyMarketResolution, relinkOracleEvent, type SettlementUpdate } from './oracle-updates.ts';
import { WAITING_MARKETS_MAX } from './waiting.ts';

type Link = Parameters<typeof aLink>[0];

function harness() {
  const state = createOracleState();
  const summary = (updates: readonly SettlementUpdate[] | null) =>
    updates?.map(({ record, audience }) => `${audience[0]} ${record.marketId} ${record.outcome} ${record.status}`) ??
    null;
  return {
    state,
    market: (marketId: string, outcomes: string[]) => updateYesIndex(state, aMarket({ marketId, outcomes })),
    link: (universalId: string, ...links: Link[]) =>
      summary(relinkOracleEvent(state, universalId, anEvent(universalId, links.map(aLink))).settlements),
    archive: (universalId: string) => summary(relinkOracleEvent(state, universalId, null).settlements),
    resolution: (fields: Partial<Resolution> = {}) => summary(applyMarketResolution(state, aResolution(fields))),
  };
}

it.each([
  ['the polarity of the link changed', [{ polarity: 'same' } as const]],
  ['its market left the event', [{ providerMarketId: '0xd' }]],
  ['the link of its market is not used any more', [{ polarity: 'same', used: false } as const]],
])('a reversal reports the emitted outcome even if %s since', (_, links) => {
  const all = harness();
  all.link('evt_1', { polarity: 'inverse' });
  expect(all.resolution()).toEqual(['evt_1 0xc no pending']);
  all.link('evt_1', ...links);
  expect(all.resolution({ status: 'reverted' })).toEqual(['evt_1 0xc no reverted']);
});

it('a reversal reports the emitted outcome even if the market lists its tokens in the other order since', () => {
  const all = harness();
  all.link('evt_1', {});
  expect(all.resolution()).toEqual(['evt_1 0xc yes pending']);
  all.market('0xc', ['No', 'Yes']);
  expect(all.resolution({ status: 'reverted' })).toEqual(['evt_1 0xc yes reverted']);
  expect(all.resolution({ blockNumber: 7 })).toEqual(['evt_1 0xc no pending']);
});

it('the reversal of a settlement is emitted also after its event was archived', () => {
  const all = harness();
  all.link('evt_1', { polarity: 'inverse' });
  all.resolution();
  all.archive('evt_1');
  expect(all.resolution({ status: 'reverted' })).toEqual(['evt_1 0xc no reverted']);
});

it('no state of an archived event remains', () => {
  const all = harness();
  const empty = structuredClone(all.state);
  for (const market of ['0xc', '0xd', '0xe']) all.market(market, ['No', 'Yes']);
  all.link('evt_1', {}, { providerMarketId: '0xd', used: false }, { provider: 'venue_a_outcome' });
  all.link('evt_0', { providerMarketId: '0xe' });
  all.resolution({ status: 'confirmed' });
  all.resolution({ id: 'a', provider: 'venue_a_outcome', status: 'confirmed' });
  all.resolution({ id: 'unused', marketId: '0xd' });
  all.resolution({ id: 'merged', marketId: '0xe', status: 'confirmed' });
  relinkOracleEvent(all.state, 'evt_0', anEvent('evt_0', [], 'evt_1'));
  all.link(
    'evt_1',
    {},
    { providerMarketId: '0xd', used: false },
    { provider: 'venue_a_outcome' },
    { providerMarketId: '0xe' },
  );
  all.archive('evt_1');
  all.archive('evt_0');
  expect(all.state).toEqual(empty);
});

it('the state of other events stays when one is archived', () => {
  const all = harness();
  all.market('0xd', ['No', 'Yes']);
  all.link('evt_1', {}, { providerMarketId: '0xd' });
  all.link('evt_2', { providerMarketId: '0xd' });
  all.archive('evt_1');
  expect(all.resolution({ marketId: '0xd' })).toEqual(['evt_2 0xd no pending']);
  expect(all.resolution({ marketId: '0xd', id: 'another', status: 'confirmed' })).toEqual([]);
});

it('resolutions of markets whose link is not used do not evict those that wait for their event', () => {
  const all = harness();
  expect(all.resolution()).toEqual([]);
  for (let at = 0; at <= WAITING_MARKETS_MAX; at += 1) {
    all.link(`evt_x${at}`, { providerMarketId: `0x${at}`, used: false });
    all.resolution({ id: `x${at}`, marketId: `0x${at}` });
  }
  expect(all.link('evt_1', {})).toEqual(['evt_1 0xc yes pending']);
  // They are bounded too.
  expect(all.link('evt_x0', { providerMarketId: '0x0' })).toEqual([]);
  const first = defaultBatchSize(WAITING_MARKETS_MAX);
  expect(all.link(`evt_x${first}`, { providerMarketId: `0x${first}` })).toEqual([
    `evt_x${first} 0x${first} yes pending`,
  ]);
});

it('the newest state of a resolution waits, whether or not its market was linked meanwhile', () => {
  const all = harness();
  all.link('evt_1', { used: false });
  all.resolution();
  all.link('evt_1', { providerMarketId: '0xd' });
  all.resolution({ status: 'reverted' });
  expect(all.link('evt_2', { used: false })).toEqual([]);
  expect(all.link('evt_2', {})).toEqual([]);
});

it.each([[[]], [['1']], [['1', 'all']]])('payouts %j are rejected on arrival, before they wait', (payouts) => {
  const all = harness();
  const apply = () => all.resolution({ payouts });
  if (payouts.length === 2) expect(apply).toThrow();
  else expect(apply()).toBeNull();
  all.market('0xc', ['No', 'Yes']);
  expect(all.link('evt_1', {})).toEqual([]);
});

it('a resolution whose payouts do not fit the tokens that its market turns out to have is not emitted', () => {
  const all = harness();
  expect(all.resolution()).toEqual([]);
  all.market('0xc', ['A', 'B', 'Yes']);
  expect(all.link('evt_1', {})).toEqual([]);
  expect(all.resolution()).toBeNull();
});
