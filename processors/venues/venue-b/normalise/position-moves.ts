/**
 * The position moves of one transaction. A contract of the venue often splits, merges or converts for an account: then the
 * account is the one that sent the tokens to it before, or received them from it afterwards (venue page, section 8).
 */
import { numberToHex } from 'viem';
import { COLLATERAL_ADAPTERS, CONDITIONAL_TOKENS, NEG_RISK_ADAPTER } from '#schemas/venues/venue-b/contracts';
import { ZERO_ADDRESS } from '#schemas/venues/venue-b/oracle-logs';
import { MalformedError } from '../../shared/malformed.ts';
import { negRiskConditionIdOf } from './oracle-ids.ts';
import type { PositionAction, PositionLog, TokenTransfer } from './position-logs.ts';

const ADAPTERS: ReadonlySet<string> = new Set(COLLATERAL_ADAPTERS);
/** Contracts between which tokens move on their way to an account. */
const INNER: ReadonlySet<string> = new Set([
  ...COLLATERAL_ADAPTERS,
  CONDITIONAL_TOKENS,
  NEG_RISK_ADAPTER,
  ZERO_ADDRESS,
]);
const QUESTIONS_MAX = 256;

/** A move of one account. */
export interface FoundMove {
  readonly kind: PositionAction['kind'];
  readonly logIndex: number;
  readonly account: string;
  /** The market that was split or merged, or those whose NO tokens were converted. */
  readonly marketIds: readonly string[];
  /** The tokens that a conversion gave. */
  readonly received: readonly string[];
  readonly units: bigint;
}

export interface MovesOfTransaction {
  readonly moves: readonly FoundMove[];
  /** What is wrong with actions whose account or tokens the logs do not show. */
  readonly faults: readonly MalformedError[];
}

/**
 * Returns the moves that the logs of a transaction show, without those of exchanges: they belong to trades.
 * @param logs in their order. @param exchanges lower case.
 */
export function movesOf(logs: readonly PositionLog[], exchanges: ReadonlySet<string>): MovesOfTransaction {
  const moves: FoundMove[] = [];
  const faults: MalformedError[] = [];
  for (const [at, log] of logs.entries()) {
    // The neg-risk adapter states its own actions in a log of its own.
    if (log.kind === 'transfer' || log.stakeholder === NEG_RISK_ADAPTER || exchanges.has(log.stakeholder)) continue;
    try {
      const move = moveOf(log, logs, at);
      if (!exchanges.has(move.account)) moves.push(move);
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      faults.push(error);
    }
  }
  return { moves, faults };
}

function moveOf(action: PositionAction, logs: readonly PositionLog[], at: number): FoundMove {
  const { kind, logIndex, units } = action;
  const marketIds = kind === 'convert' ? convertedMarkets(action) : [action.subject];
  const { account, received } = partiesOf(action, logs, at, marketIds.length);
  return { kind, logIndex, account, marketIds, received, units };
}

/** Returns the account of an action, and the tokens that a conversion gave to it. Without transfers it is the stakeholder. */
function partiesOf(
  action: PositionAction,
  logs: readonly PositionLog[],
  at: number,
  markets: number,
): Pick<FoundMove, 'account' | 'received'> {
  const { kind, stakeholder, units } = action;
  const before = transfersUntilAction(logs.slice(0, at).reverse(), stakeholder);
  const after = transfersUntilAction(logs.slice(at + 1), stakeholder);
  if (!ADAPTERS.has(stakeholder)) {
    // The tokens come from the neg-risk adapter, before it states the conversion.
    const given = before.filter(({ from, to }) => from === NEG_RISK_ADAPTER && to === stakeholder);
    return { account: stakeholder, received: kind === 'convert' ? tokensOf(given.reverse(), units) : [] };
  }
  const sent = before.filter(({ from, to }) => to === stakeholder && !INNER.has(from));
  const given = after.filter(({ from, to }) => from === stakeholder && !INNER.has(to));
  if (kind === 'split') return { account: otherSide(given, 'to', 2, units) ?? stakeholder, received: [] };
  const account = otherSide(sent, 'from', kind === 'merge' ? 2 : markets, units) ?? stakeholder;
  if (kind === 'merge') return { account, received: [] };
  return {
    account,
    received: tokensOf(
      given.filter(({ to }) => to === account),
      units,
    ),
  };
}

/** Transfers, nearest first, up to the next action for the same stakeholder. */
function transfersUntilAction(nearestFirst: readonly PositionLog[], stakeholder: string): TokenTransfer[] {
  const transfers: TokenTransfer[] = [];
  for (const log of nearestFirst) {
    if (log.kind === 'transfer') transfers.push(log);
    else if (log.stakeholder === stakeholder) break;
  }
  return transfers;
}

/** Returns the one account whose nearest transfers make up the tokens of an action, each with its amount; null without any. */
function otherSide(
  transfers: readonly TokenTransfer[],
  side: 'from' | 'to',
  tokens: number,
  units: bigint,
): string | null {
  let account: string | null = null;
  let found = 0;
  for (const transfer of transfers) {
    if (found === tokens) break;
    if (transfer.items.length === 0) continue;
    account ??= transfer[side];
    found += transfer.items.length;
    if (transfer[side] !== account || found > tokens || transfer.items.some((item) => item.units !== units))
      throw new MalformedError('unattributed_move', `log ${transfer.logIndex} moves other tokens than the action`);
  }
  if (account !== null && found < tokens)
    throw new MalformedError('unattributed_move', `${found} of ${tokens} tokens moved`);
  return account;
}

function tokensOf(transfers: readonly TokenTransfer[], units: bigint): string[] {
  const items = transfers.flatMap((transfer) => transfer.items);
  if (items.some((item) => item.units !== units))
    throw new MalformedError('unattributed_move', 'a conversion gave another amount than it took');
  return items.map(({ token }) => token);
}

/** The question of a neg-risk market has its id with the number of the question in the last byte. */
function convertedMarkets({ subject, indexSet }: PositionAction): string[] {
  const markets: string[] = [];
  for (let question = 0; question < QUESTIONS_MAX; question += 1) {
    if ((indexSet >> BigInt(question)) % 2n === 0n) continue;
    markets.push(negRiskConditionIdOf(`${subject.slice(0, -2)}${numberToHex(question, { size: 1 }).slice(2)}`));
  }
  return markets;
}
