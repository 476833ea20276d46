/**
 * Account values per second compared with parsing JSON. Responses of venue_a about the accounts of the simulator, in all
 * modes, are parsed, read and valued at fixed prices. The baseline runs `JSON.parse` on the same responses.
 *
 * Sources of error: responses of one shape, for which V8 has caches; few positions of each account, where a real one may
 * have a hundred (then both sides parse more); unused values, whose calculation could be optimised away (they are
 * summed).
 */
import { HYPE_TOKEN, USDC_TOKEN } from '#schemas/domain/accounts/price-key';
import { readVenueAAccount } from '#schemas/domain/accounts/venue-a-account';
import { type VenueAPrices, valueVenueAAccount } from '#schemas/domain/accounts/venue-a-value';
import { type Decimal, parseDecimal, UNIT } from '#schemas/domain/decimal';
import { createInfo } from '../../simulator/venues/venue-a/info.ts';
import { createMarkets } from '../../simulator/venues/venue-a/market.ts';
import { createWorld } from '../../simulator/world/world.ts';
import type { Bench, BenchContext } from '../bench.ts';
import { alternate, rateResult, timed } from '../measure.ts';

const ACCOUNTS = 400;
const ROUNDS = 9;
const WARMUPS = 3;
/** Each round values every account so often. */
const REPEATS = 10;
const AT_MS = Date.UTC(2026, 0, 15, 13);
const UBTC_TOKEN = 197;
const TYPES = ['userAbstraction', 'spotClearinghouseState', 'userVaultEquities', 'delegatorSummary'] as const;

/** The texts of the responses about one account. */
interface Texts {
  readonly others: readonly string[];
  readonly states: readonly (readonly [dex: string, text: string])[];
}

export const accountValue: Bench = {
  aims: { 'account-value': { ratioMin: 0.25 } },
  run: (context) => measureAccountValue(context, { accounts: ACCOUNTS, rounds: ROUNDS, warmups: WARMUPS }),
};

/** Exported for tests, which use fewer accounts. */
export async function measureAccountValue(
  { onProgress }: Pick<BenchContext, 'onProgress'>,
  { accounts, rounds, warmups }: { accounts: number; rounds: number; warmups: number },
) {
  const world = createWorld({ seed: 1, rate: 10, events: 5, coins: 10 });
  const info = createInfo(world, createMarkets(world));
  const dexes = world.ladders.dexNames(AT_MS);
  const textOf = async (request: object) => (await info(request, AT_MS)).text;
  const all = await Promise.all(
    world.population.accounts.slice(0, accounts).map(
      async (user): Promise<Texts> => ({
        others: await Promise.all(TYPES.map((type) => textOf({ type, user }))),
        states: await Promise.all(
          dexes.map(async (dex) => [dex, await textOf({ type: 'clearinghouseState', user, dex })] as const),
        ),
      }),
    ),
  );
  const prices = pricesOf(dexes, all);
  const subject = () => timed(() => repeat(all, (texts) => valueAll(texts, prices)));
  const baseline = () => timed(() => repeat(all, parseAll));
  const rates = await alternate(subject, baseline, { rounds, warmups, onProgress });
  return [rateResult('account-value', 'acquisitions/s', rates)];
}

/** A price of everything that the accounts have. */
function pricesOf(dexes: readonly string[], all: readonly Texts[]): VenueAPrices {
  const coins = all.flatMap(({ others }) => others[1]!.match(/\+\d+/g) ?? []);
  const tokens = [HYPE_TOKEN, UBTC_TOKEN, 999].map((token) => [String(token), parseDecimal('40.125')] as const);
  return {
    collateralTokens: new Map(dexes.map((dex) => [dex, USDC_TOKEN])),
    prices: new Map<string, Decimal>([
      ['0', UNIT],
      ...tokens,
      ...coins.map((coin) => [coin, parseDecimal('0.4')] as const),
    ]),
  };
}

/** Runs `work` for every account, several times. Returns the number of accounts. */
function repeat(all: readonly Texts[], work: (texts: Texts) => number): number {
  let sum = 0;
  for (let round = 0; round < REPEATS; round += 1) for (const texts of all) sum += work(texts);
  if (!(sum > 0)) throw new Error('the accounts are worth nothing');
  return REPEATS * all.length;
}

function valueAll({ others, states }: Texts, prices: VenueAPrices): number {
  const [userAbstraction, spotClearinghouseState, userVaultEquities, delegatorSummary] = others.map((text): unknown =>
    JSON.parse(text),
  );
  const clearinghouseStates = new Map(states.map(([dex, text]) => [dex, JSON.parse(text) as unknown]));
  const account = readVenueAAccount({
    userAbstraction,
    clearinghouseStates,
    spotClearinghouseState,
    userVaultEquities,
    delegatorSummary,
  });
  const { value } = valueVenueAAccount(account, prices);
  if (value === null) throw new Error('an account has no value');
  return value.valueUsd === 0n ? 0 : 1;
}

function parseAll({ others, states }: Texts): number {
  let parsed = 0;
  for (const text of others) parsed += JSON.parse(text) === undefined ? 0 : 1;
  for (const [, text] of states) parsed += JSON.parse(text) === undefined ? 0 : 1;
  return parsed;
}
