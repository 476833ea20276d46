/**
 * Checks that every map and set of a state is either serialized in slices or listed here as small. A large one that is
 * not sliced would block the process at every snapshot.
 */
import { expect, it } from 'vitest';
import { serializeInSlices } from '#infra/stages/sliced-state';
import { DEFAULT_SETTINGS } from '#schemas/testing/recorded-settings.fixture';
import { createStages } from './stages.ts';

/** Rows of the control state and the indices that find them by identity are in one slice, whatever their size. */
const CONTROL = [
  'control.organizations',
  'control.keys',
  'control.wallets',
  'control.attributions',
  'control.webhooks',
  'control.sessions',
  'control.seededKeyIds',
  'control.keysByOrganization',
  'control.adminKeys',
  'control.walletsByOwner',
  'control.walletsByAddress',
  'control.attributionsByOwner',
  'control.webhooksByOwner',
  'control.webhooksByEventType',
  'control.sessionsByKey',
  'control.recentIds.current',
  'control.recentIds.previous',
];
/** The maps and sets that stay small, by stage. */
const SMALL: Readonly<Record<string, readonly string[]>> = {
  // One entry for each venue, and for each chain.
  candles: ['removable.newestBlocks', 'expiredArrivals', 'chainStarts'],
  // One entry for each coin and length of the exchange's klines.
  'klines.venue_a': ['ranges'],
  // One entry for each provider.
  anomalies: ['delays'],
  ledgers: ['arrivals', 'recordedTrades.gaps', ...CONTROL],
  accounts: CONTROL,
  series: ['pairs', ...CONTROL],
  'builder-exports.venue_a': ['builders', ...CONTROL],
  organizations: [
    'arrivals',
    // Those of one ms.
    'eventsAt.counts',
    ...CONTROL,
  ],
  'normalise.venue_a': [
    'bookTimes',
    'contexts',
    'allMids',
    'withoutMid',
    'instruments',
    'tradesLeftOut',
    'perpDexes',
    'missing.pairs',
    'missing.contracts',
    'missing.dexes',
    'universes',
    'accountMarkets.collateralTokens',
    'accountMarkets.pairTokens',
    'accountMarkets.outcomeReports',
    'outcomes.outcomes',
    'outcomes.questions',
    'outcomes.settled',
    'outcomes.resolved',
    'connectedAt',
    'channelSeqs.active',
    'channelSeqs.inactive',
    'channelSeqs.due',
    'liveness.feeds',
    'liveness.instruments',
    'barRanges',
    'tradeSubscriptions.coins',
    'tradeSubscriptions.awaited',
    'tradeSubscriptions.followed',
    'spotReports',
  ],
  // The fills of one block.
  'node-fills.venue_a': ['newestFills'],
  // One entry for each perp or pair.
  'daily.venue_a': ['changed', 'pairs'],
  'normalise.venue_b': ['chain.unconfirmed', 'liveness.feeds'],
};

type Collection = Map<unknown, unknown> | Set<unknown>;

function collectionsOf(value: unknown, path = ''): [path: string, collection: Collection][] {
  if (value instanceof Map || value instanceof Set) return [[path, value]];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => collectionsOf(inner, path === '' ? name : `${path}.${name}`));
}

const cases = createStages(DEFAULT_SETTINGS).map((stage) => ({
  name: stage.name,
  stage,
  small: SMALL[stage.name] ?? [],
}));

it.each(cases)('each map and set of $name is in slices or listed as small', ({ stage, small }) => {
  const paths = collectionsOf(stage.initialState()).map(([path]) => path);
  expect([...small, ...(stage.slicedMaps ?? [])].sort()).toEqual(paths.sort());
});

it.each(cases)('the part of $name outside the slices does not grow with them', async ({ stage }) => {
  const state = stage.initialState();
  const sliced = new Set<string>(stage.slicedMaps);
  for (const [path, collection] of collectionsOf(state)) {
    if (!sliced.has(path)) continue;
    for (let nth = 0; nth < 20_000; nth += 1) {
      if (collection instanceof Map) collection.set(`${path} ${nth}`, { nth });
      else collection.add(`${path} ${nth}`);
    }
  }
  const sizes: number[] = [];
  for await (const part of serializeInSlices({ state }, stage.slicedMaps ?? [])) sizes.push(part.length);
  expect(sizes[0]).toBeLessThan(2_000);
  expect(Math.max(...sizes)).toBeLessThan(300_000);
});
