/** Emits the acquisition of an account once all responses that its value needs were received (venue page, section 6). */
import type { Emit } from '#infra/stages/stage';
import { readVenueAAccount, type VenueAAccount } from '#schemas/domain/accounts/venue-a-account';
import { formatDecimal } from '#schemas/domain/decimal';
import { asText, type JsonObject } from '#schemas/domain/json-fields';
import { failedAcquisitionTopics, venueAAcquisitionTopic } from '#schemas/topics/accounts';
import { accountName } from '#schemas/venues/accounts';
import { NODE_FEED } from '#schemas/venues/venue-a/node-requests';
import { addPart, oldestPartOf } from '../../shared/acquired-parts.ts';
import { rejectMalformed } from '../../shared/malformed.ts';
import { pricesOf } from './account-prices.ts';
import type { VenueAState } from './state.ts';

/** Types of `info` requests whose responses together are an acquisition. */
export const ACCOUNT_RESPONSES = [
  'userAbstraction',
  'clearinghouseState',
  'spotClearinghouseState',
  'userVaultEquities',
  'delegatorSummary',
] as const;

/** An answer with what handling it needs. */
interface AccountAnswer {
  readonly state: VenueAState;
  readonly request: JsonObject;
  readonly body: unknown;
  readonly feed: string;
  readonly receivedAt: number;
  readonly emit: Emit;
}

const MAIN_STATE = 'clearinghouseState ';

/** Handles a response about an account; `body` is null for one that is no JSON. A complete set that cannot be read fails. */
export function processAccountResponse({ state, request, body, feed, receivedAt, emit }: AccountAnswer): void {
  const address = asText(request.user)?.toLowerCase();
  const { dexes } = state.accountMarkets;
  if (address === undefined || dexes === null) return;
  const type = String(request.type);
  const key = type === 'clearinghouseState' ? `${type} ${asText(request.dex) ?? ''}` : type;
  const parts = addPart(state.acquiredParts, address, key, { body, fromNode: feed === NODE_FEED }, receivedAt);
  const stateKeys = dexes.map((dex) => `clearinghouseState ${dex}`);
  const others = ACCOUNT_RESPONSES.filter((name) => name !== 'clearinghouseState');
  if (![...stateKeys, ...others].every((name) => parts.has(name))) return;
  const oldestAt = oldestPartOf(state.acquiredParts, address);
  state.acquiredParts.delete(address);
  const bodyOf = (name: string) => parts.get(name)!.body;
  const name = accountName('venue_a', address);
  let account: VenueAAccount;
  try {
    account = readVenueAAccount({
      userAbstraction: bodyOf('userAbstraction'),
      clearinghouseStates: new Map(dexes.map((dex, at) => [dex, bodyOf(stateKeys[at]!)])),
      spotClearinghouseState: bodyOf('spotClearinghouseState'),
      userVaultEquities: bodyOf('userVaultEquities'),
      delegatorSummary: bodyOf('delegatorSummary'),
    });
  } catch (error) {
    rejectMalformed(error, 'malformed_answer', emit);
    emit(failedAcquisitionTopics.venue_a, name, { account: name, receivedAt, reason: (error as Error).message });
    return;
  }
  emit(venueAAcquisitionTopic, name, {
    account: name,
    receivedAt,
    asOf: account.time ?? oldestAt,
    source: parts.get(MAIN_STATE)!.fromNode ? 'node' : 'official',
    ...figuresOf(account, state.accountMarkets.collateralTokens),
    prices: pricesOf(state, account, receivedAt).map(([key, usd]) => ({ key, usd: formatDecimal(usd) })),
  });
}

function figuresOf(
  { mode, dexes, balances, vaultUsd, staked }: VenueAAccount,
  collateral: ReadonlyMap<string, number>,
) {
  return {
    mode,
    dexes: dexes.map(({ dex, accountValue, withdrawable, marginUsed, unrealizedPnl }) => ({
      dex,
      collateralToken: collateral.get(dex) ?? null,
      accountValue: formatDecimal(accountValue),
      withdrawable: formatDecimal(withdrawable),
      marginUsed: formatDecimal(marginUsed),
      unrealizedPnl: formatDecimal(unrealizedPnl),
    })),
    balances: balances.map(({ coin, token, total, hold }) => ({
      coin,
      token,
      total: formatDecimal(total),
      hold: formatDecimal(hold),
    })),
    vaultUsd: formatDecimal(vaultUsd),
    staked: formatDecimal(staked),
  };
}
