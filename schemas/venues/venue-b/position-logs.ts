/**
 * Encodes the logs of splits, merges, conversions and transfers (venue page, section 8), for the simulated chain and for
 * tests. It is next to the addresses and events that the decoding side uses.
 */
import { CHAIN_EVENTS, COLLATERAL_TOKENS, CONDITIONAL_TOKENS, NEG_RISK_ADAPTER } from './contracts.ts';
import { accountTopic, type EmittedLog, wordOf } from './oracle-logs.ts';

const NO_COLLECTION = `0x${'0'.repeat(64)}`;

/** Encodes PositionSplit or PositionsMerge of the token contract. @param units of the collateral. */
export function encodeTokenAction(
  kind: 'split' | 'merge',
  { stakeholder, conditionId, units }: { stakeholder: string; conditionId: string; units: bigint },
): EmittedLog {
  const event = kind === 'split' ? CHAIN_EVENTS.positionSplit : CHAIN_EVENTS.positionsMerge;
  const collateral = accountTopic(COLLATERAL_TOKENS.usdcE).slice(2);
  return {
    address: CONDITIONAL_TOKENS,
    topics: [event, accountTopic(stakeholder), NO_COLLECTION, conditionId],
    data: `0x${collateral}${wordOf(96n)}${wordOf(units)}${[2n, 1n, 2n].map(wordOf).join('')}`,
  };
}

/** Encodes PositionSplit or PositionsMerge of the neg-risk adapter. */
export function encodeNegRiskAction(
  kind: 'split' | 'merge',
  { stakeholder, conditionId, units }: { stakeholder: string; conditionId: string; units: bigint },
): EmittedLog {
  const event = kind === 'split' ? CHAIN_EVENTS.negRiskSplit : CHAIN_EVENTS.negRiskMerge;
  return {
    address: NEG_RISK_ADAPTER,
    topics: [event, accountTopic(stakeholder), conditionId],
    data: `0x${wordOf(units)}`,
  };
}

/** Encodes PositionsConverted. @param indexSet bit `n` for the NO tokens of question `n`. */
export function encodeConversion(conversion: {
  readonly stakeholder: string;
  readonly marketId: string;
  readonly indexSet: bigint;
  readonly units: bigint;
}): EmittedLog {
  const { stakeholder, marketId, indexSet, units } = conversion;
  return {
    address: NEG_RISK_ADAPTER,
    topics: [CHAIN_EVENTS.positionsConverted, accountTopic(stakeholder), marketId, `0x${wordOf(indexSet)}`],
    data: `0x${wordOf(units)}`,
  };
}

/** Encodes TransferBatch of outcome tokens. @param operator who sent it. */
export function encodeTokenTransfer(
  sides: { readonly operator: string; readonly from: string; readonly to: string },
  items: readonly { readonly token: string; readonly units: bigint }[],
): EmittedLog {
  const count = wordOf(BigInt(items.length));
  const tokens = items.map(({ token }) => wordOf(BigInt(token))).join('');
  const amounts = items.map(({ units }) => wordOf(units)).join('');
  return {
    address: CONDITIONAL_TOKENS,
    topics: [CHAIN_EVENTS.transferBatch, ...[sides.operator, sides.from, sides.to].map(accountTopic)],
    data: `0x${wordOf(64n)}${wordOf(BigInt((3 + items.length) * 32))}${count}${tokens}${count}${amounts}`,
  };
}

/** Encodes Transfer of a collateral token. */
export function encodeCollateralTransfer(transfer: {
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
}): EmittedLog {
  const { token, from, to, units } = transfer;
  return {
    address: token,
    topics: [CHAIN_EVENTS.transfer, accountTopic(from), accountTopic(to)],
    data: `0x${wordOf(units)}`,
  };
}
