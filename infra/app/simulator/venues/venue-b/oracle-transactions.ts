import { ORACLE_PRICES, ORACLES } from '#schemas/venues/venue-b/contracts';
import {
  encodeConditionResolution,
  encodeOracleLog,
  type OracleRequest,
  ZERO_ADDRESS,
} from '#schemas/venues/venue-b/oracle-logs';
import { hashOf, hexOf, STREAM } from '../../world/hash.ts';
import { ancillaryText, ORACLE_ADAPTER } from '../../world/question-ids.ts';
import { LIVENESS_MS, type SettlementStep } from '../../world/settlement-plan.ts';
import { SECOND_MS } from '../../world/time.ts';
import type { World } from '../../world/world.ts';
import { blockHolding, blockTime } from './blocks.ts';
import type { ListedMarket, MarketBoard } from './market-board.ts';
import type { LogBody } from './match-logs.ts';
import { redemptionOf } from './redemptions.ts';
import {
  BOND_USD,
  conditionPreparation,
  payoutRedemption,
  questionInitialized,
  questionReset,
  questionResolved,
  REWARD_USD,
} from './settlement-logs.ts';

/** The transaction that lists a market, or one step of its settlement. */
export type MarketAct = { readonly kind: 'list' } | SettlementStep;

/** Time from its listing until a market is prepared on the chain. */
export const LISTED_AFTER_MS = 4 * SECOND_MS;
const USD = 1_000_000n;

/** Time of the block that contains a transaction at this time, unix seconds. */
const blockSeconds = (atMs: number): number => blockTime(blockHolding(atMs)) / SECOND_MS;

/** Hash of the `nth` transaction of a market. */
export function marketTransactionHash(world: World, { ids }: ListedMarket, nth: number): string {
  return hexOf(world.settings.seed, STREAM.oracle, Number(ids.marketId), nth, 32);
}

/** Logs of one transaction of a market, in order (venue page, section 8, lifecycle). */
export function marketLogs(world: World, board: MarketBoard, market: ListedMarket, act: MarketAct): readonly LogBody[] {
  const { question, ids } = market;
  const { seed } = world.settings;
  const isYes = board.isYes(question);
  const steps = question.settlementPlan?.steps ?? [];
  const account = (salt: number) => world.population.account(hashOf(seed, STREAM.oracle, Number(ids.marketId), salt));
  const priceOf = (isTrue: boolean) => ORACLE_PRICES[isTrue === isYes ? '1' : '0'];
  const resolution = () => encodeConditionResolution({ ...ids, numerators: isYes ? [1n, 0n] : [0n, 1n] });
  const resolved = () => [resolution(), questionResolved(ids, priceOf(true), isYes ? [1, 0] : [0, 1])];

  /** The request at the market's listing (0), or after a dispute that resets the question (1). */
  const requestOf = (nth: 0 | 1): OracleRequest => {
    const reset = steps.find(({ kind }) => kind === 'dispute_and_reset');
    const madeAtMs = nth === 1 && reset ? reset.atMs : question.listedAtMs + LISTED_AFTER_MS;
    return {
      oracle: ORACLES.managed,
      requester: ORACLE_ADAPTER,
      timestamp: blockSeconds(madeAtMs),
      ancillaryText: ancillaryText(question, ids.marketId),
    };
  };
  const request = (nth: 0 | 1) =>
    encodeOracleLog(requestOf(nth), { kind: 'request', reward: BigInt(REWARD_USD) * USD });
  /** Proposal to a request, and its disputer. */
  const proposalOf = (nth: 0 | 1) => {
    const proposal = steps.find(({ kind, request: of }) => kind === 'propose' && of === nth);
    const isDisputed = steps.some(({ kind, request: of }) => kind.startsWith('dispute') && of === nth);
    const proposer = account(100 + nth);
    const disputer = account(110 + nth);
    return {
      proposer,
      // The disputer must differ from the proposer.
      disputer: !isDisputed ? ZERO_ADDRESS : disputer === proposer ? account(120 + nth) : disputer,
      price: priceOf(proposal?.isTrue ?? true),
      isDisputed,
    };
  };
  const settle = (step: SettlementStep) => {
    const { isDisputed, proposer, disputer } = proposalOf(step.request);
    // The winner of a dispute receives both bonds; an ignored request returns its reward.
    const payout = BigInt(isDisputed ? 2 * BOND_USD : BOND_USD + REWARD_USD) * USD;
    const price = step.isTrue ? priceOf(true) : ORACLE_PRICES.ignore;
    return encodeOracleLog(requestOf(step.request), { kind: 'settle', proposer, disputer, price, payout });
  };

  switch (act.kind) {
    case 'list': {
      const first = requestOf(0);
      return [conditionPreparation(ids), request(0), questionInitialized(ids, first.timestamp, first.ancillaryText)];
    }
    case 'propose': {
      const { proposer, price } = proposalOf(act.request);
      const expiration = blockSeconds(act.atMs) + LIVENESS_MS / SECOND_MS;
      return [encodeOracleLog(requestOf(act.request), { kind: 'propose', proposer, price, expiration })];
    }
    case 'dispute':
    case 'dispute_and_reset': {
      const { proposer, disputer, price } = proposalOf(act.request);
      const dispute = encodeOracleLog(requestOf(act.request), { kind: 'dispute', proposer, disputer, price });
      return act.kind === 'dispute' ? [dispute] : [dispute, request(1), questionReset(ids)];
    }
    case 'settle':
      return [settle(act)];
    case 'settle_and_resolve':
      return [settle(act), ...resolved()];
    case 'resolve':
      return question.settlementPlan?.kind === 'automatic' ? [resolution()] : resolved();
    case 'redeem': {
      const nth = steps.filter(({ kind }) => kind === 'redeem').indexOf(act);
      const { account: holder, payout } = redemptionOf(world, board, question, nth);
      return [payoutRedemption(ids, holder, payout)];
    }
  }
}
