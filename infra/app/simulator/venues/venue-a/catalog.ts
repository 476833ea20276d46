import { hexOf, STREAM } from '../../world/hash.ts';
import { isListed } from '../../world/ladder-board.ts';
import { type Ladder, SPOT_TOKENS } from '../../world/ladders.ts';
import { amountText } from '../../world/number-text.ts';
import { priceAt } from '../../world/prices.ts';
import { type Question, resolvesAbove } from '../../world/questions.ts';
import { compactUtc } from '../../world/time.ts';
import type { World } from '../../world/world.ts';
import { outcomeNumber } from './market.ts';

const USDC = 0;

function leverageOf(ladder: Ladder): number {
  if (ladder.asset.weight >= 0.6) return 40;
  return ladder.asset.weight >= 0.2 ? 20 : 10;
}

/**
 * `meta` of a dex, where `''` is the main one; null for an unknown dex. A delisted coin stays in the universe, so that the
 * index of other coins does not change.
 */
export function perpMeta(world: World, dex: string, atMs: number) {
  const ladders = world.ladders.universe(dex, atMs);
  if (!ladders) return null;
  const universe = ladders.map((ladder) => ({
    name: ladder.coin,
    szDecimals: ladder.szDecimals,
    maxLeverage: leverageOf(ladder),
    marginTableId: leverageOf(ladder),
    ...(isListed(ladder, atMs) ? {} : { isDelisted: true }),
  }));
  const marginTables = [10, 20, 40].map((leverage) => [
    leverage,
    { description: '', marginTiers: [{ lowerBound: '0.0', maxLeverage: leverage }] },
  ]);
  return { universe, marginTables, collateralToken: USDC };
}

/** `spotMeta`. The venue flags no pair as delisted: a pair is listed or absent, and so is the token that only it has. */
export function spotMeta(world: World, atMs: number) {
  const { seed } = world.settings;
  const listings = world.ladders.listed(atMs).flatMap(({ spot }) => (spot ? [spot] : []));
  const tokens = new Set([...SPOT_TOKENS, ...listings.map(({ base }) => base)]);
  return {
    tokens: [...tokens].map(({ name, index, szDecimals, weiDecimals, fullName, isCanonical }) => ({
      name,
      szDecimals,
      weiDecimals,
      index,
      tokenId: hexOf(seed, STREAM.catalog, index, 1, 16),
      isCanonical,
      evmContract: null,
      fullName,
      deployerTradingFeeShare: '0.0',
    })),
    universe: listings.map(({ pair: { name, index, base, quote } }) => ({
      name,
      tokens: [base, quote],
      index,
      isCanonical: index === 0,
    })),
  };
}

/** `perpDexs`: the main dex is null, then those of builders. */
export function perpDexs(world: World, atMs: number) {
  const { seed } = world.settings;
  const builders = world.ladders.dexes(atMs).map(({ name, fullName, key }) => {
    const address = (salt: number) => hexOf(seed, STREAM.catalog, 3 * key + salt, 2, 20);
    return {
      name,
      fullName,
      deployer: address(1),
      oracleUpdater: address(2),
      feeRecipient: address(3),
      assetToStreamingOiCap: world.ladders
        .listed(atMs)
        .filter((ladder) => ladder.dex === name)
        .map((ladder) => [ladder.coin, '50000000.0']),
      subDeployers: [['setOracle', [address(2)]]],
      deployerFeeScale: '1.0',
      lastDeployerFeeScaleChangeTime: '1970-01-01T00:00:00',
      assetToFundingMultiplier: [],
      assetToFundingInterestRate: [],
    };
  });
  return [null, ...builders];
}

/** An outcome in `outcomeMeta` (venue page, section 3.5). */
export function outcomeSpec(world: World, question: Question) {
  const { slot, asset, thresholdText, expiresAtMs } = question;
  const period = `${slot.lifetime}${slot.cadence === 'hourly' ? 'h' : 'd'}`;
  return {
    outcome: outcomeNumber(question, world.venueA.slots.length),
    name: 'Recurring',
    description: `class:priceBinary|underlying:${asset.symbol}|expiry:${compactUtc(expiresAtMs)}|targetPrice:${thresholdText}|period:${period}`,
    sideSpecs: [{ name: 'Yes' }, { name: 'No' }],
    quoteToken: 'USDC',
  };
}

/** Questions in `outcomeMeta`: the live ones, and expired ones until they are settled. */
function listedOutcomes(world: World, atMs: number): Question[] {
  return world.venueA.slots.flatMap(({ index }) => {
    const live = world.venueA.liveIn(index, atMs);
    const previous = world.venueA.earlier(index, atMs, 1);
    return previous.settledAtMs > atMs ? [previous, live] : [live];
  });
}

/** `outcomeMeta`. The simulated venue does not group outcomes into questions. */
export function outcomeMeta(world: World, atMs: number) {
  return { outcomes: listedOutcomes(world, atMs).map((question) => outcomeSpec(world, question)), questions: [] };
}

/** `settledOutcome`: null while the outcome is live, and for unknown outcomes. */
export function settledOutcome(world: World, outcome: number, atMs: number) {
  const slots = world.venueA.slots.length;
  const slot = (outcome - 1) % slots;
  const generation = Math.floor((outcome - 1) / slots);
  if (!Number.isSafeInteger(outcome) || outcome < 1) return null;
  if (generation > world.venueA.liveIn(slot, atMs).generation) return null;
  const question = world.venueA.byGeneration(slot, generation);
  if (question.settledAtMs > atMs) return null;
  const price = priceAt(world.settings.seed, question.asset, question.expiresAtMs);
  return {
    spec: outcomeSpec(world, question),
    settleFraction: resolvesAbove(world.settings.seed, question) ? '1.0' : '0.0',
    details: `price:${amountText(price, 5)}`,
  };
}
