/**
 * Transfers of collateral. What they mean shows when all logs of a transaction are there: an account's flow is its net
 * change. Each flow is emitted once, and again as reverted if its block is dropped.
 */
import type { Emit } from '#infra/stages/stage';
import { formatDecimal } from '#schemas/domain/decimal';
import { type CollateralTransfer, isTradedWith, venueBFlows } from '#schemas/domain/returns/venue-b-flows';
import { type CollateralChange, collateralChangeTopic } from '#schemas/topics/collateral-changes';
import { CHAIN_EVENTS, COLLATERAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import { MalformedError } from '../../shared/malformed.ts';
import type { ChainLog, FollowedCollateral } from './chain-message.ts';
import { blockOfLog, type ChainBlock, type ChainView } from './chain-view.ts';
import { abiData, topicAddress, word } from './hex.ts';

const CODE = 'malformed_log';
const TOKENS: ReadonlySet<string> = new Set(Object.values(COLLATERAL_TOKENS));
/** Amounts below this fit `Decimal(38,18)`. */
const AMOUNT_LIMIT = 10n ** 26n;

/** The transaction whose transfers are being received. */
export interface OpenCollateral {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  /** Receive time of the newest log. */
  receivedAt: number;
  /** By log index. */
  readonly transfers: Map<number, CollateralTransfer>;
}

export interface Collateral {
  open: OpenCollateral | null;
  /** Changes in the stored blocks, by `<tx hash> <account>`. */
  readonly known: Map<string, CollateralChange>;
}

export const createCollateral = (): Collateral => ({ open: null, known: new Map() });

export function isCollateralLog({ address, topics }: ChainLog): boolean {
  return TOKENS.has(address) && topics[0] === CHAIN_EVENTS.transfer;
}

/** Adds a log of a stored block. Throws `MalformedError`. */
export function addCollateralLog(
  state: { readonly chain: ChainView; readonly collateral: Collateral },
  log: ChainLog,
  receivedAt: number,
): void {
  const { transactionHash, blockNumber, blockHash, logIndex } = log;
  const { timestampMs } = blockOfLog(state.chain, log);
  const transfer = decodeTransfer(log, timestampMs);
  const { collateral } = state;
  collateral.open ??= { transactionHash, blockNumber, blockHash, receivedAt, transfers: new Map() };
  collateral.open.receivedAt = receivedAt;
  collateral.open.transfers.set(logIndex, transfer);
}

function decodeTransfer(log: ChainLog, ts: number): CollateralTransfer {
  const from = topicAddress(log.topics[1], 'topics[1]', CODE);
  const to = topicAddress(log.topics[2], 'topics[2]', CODE);
  const units = word(abiData(log.data, 1, CODE), 0);
  if (units >= AMOUNT_LIMIT) throw new MalformedError(CODE, `amount ${units} is too large`);
  return { txHash: log.transactionHash, ts, from, to, units };
}

/** Emits what the open transaction changed, for each account that its transfers name, and closes it. */
export function closeCollateral(
  { chain, collateral }: { readonly chain: ChainView; readonly collateral: Collateral },
  emit: Emit,
): void {
  const { open } = collateral;
  if (!open) return;
  collateral.open = null;
  const block = chain.blocks.get(open.blockNumber);
  if (block?.hash !== open.blockHash) return;
  const inOrder = [...open.transfers].sort(([a], [b]) => a - b).map(([, transfer]) => transfer);
  const accounts = new Set(inOrder.flatMap(({ from, to }) => [from, to]));
  for (const account of accounts) {
    if (!isTradedWith(account))
      emitChange(collateral, { account, transfers: inOrder, block, receivedAt: open.receivedAt }, emit);
  }
}

interface FoundTransfers {
  readonly account: string;
  /** Those of one transaction that name the account, in their order. */
  readonly transfers: readonly CollateralTransfer[];
  readonly block: Pick<ChainBlock, 'number' | 'hash'> & Partial<Pick<ChainBlock, 'collateralIds'>>;
  readonly receivedAt: number;
}

/** Emits what a transaction changed of the collateral of an account. A change in a stored block can be reverted later. */
function emitChange(
  { known }: Collateral,
  { account, transfers, block, receivedAt }: FoundTransfers,
  emit: Emit,
): void {
  const [flow] = venueBFlows(transfers, account);
  if (!flow) return;
  const id = `${flow.txHash} ${account}`;
  if (known.get(id)?.blockHash === block.hash) return;
  const change: CollateralChange = {
    account,
    kind: 'changed',
    ledger: null,
    ts: flow.ts,
    receivedAt,
    txHash: flow.txHash,
    blockNumber: block.number,
    blockHash: block.hash,
    usd: formatDecimal(flow.usd),
  };
  if (block.collateralIds) {
    known.set(id, change);
    block.collateralIds.push(id);
  }
  emit(collateralChangeTopic, account, change);
}

/** The transfers of a transaction that a backfill found. Throws `MalformedError`. */
export const decodeTransfers = (logs: readonly ChainLog[], ts: number): CollateralTransfer[] =>
  logs.filter(isCollateralLog).map((log) => decodeTransfer(log, ts));

/** Emits what the transfers of a transaction that a backfill found changed for its account. */
export function emitBackfilledChange(
  state: { readonly chain: ChainView; readonly collateral: Collateral },
  { block, ...found }: FoundTransfers,
  emit: Emit,
): void {
  const stored = state.chain.blocks.get(block.number);
  emitChange(state.collateral, { ...found, block: stored?.hash === block.hash ? stored : block }, emit);
}

/** Emits the changes of a dropped block as reverted. One that is in another block by now remains. */
export function revertCollateral(collateral: Collateral, block: ChainBlock, emit: Emit): void {
  for (const id of block.collateralIds.toReversed()) revert(collateral, id, block.hash, emit);
}

/** Handles a log that the node reverts: its whole transaction is reverted. */
export function removeCollateralLog(collateral: Collateral, log: ChainLog, emit: Emit): void {
  const { transactionHash, blockHash } = log;
  if (collateral.open?.transactionHash === transactionHash && collateral.open.blockHash === blockHash)
    collateral.open = null;
  for (const topic of [1, 2] as const) {
    const account = topicAddress(log.topics[topic], `topics[${topic}]`, CODE);
    revert(collateral, `${transactionHash} ${account}`, blockHash, emit);
  }
}

/** Forgets the changes of a block that cannot be dropped any more. */
export function forgetCollateral({ known }: Collateral, block: ChainBlock): void {
  for (const id of block.collateralIds) if (known.get(id)?.blockHash === block.hash) known.delete(id);
}

/** Emits since when all transfers of accounts are known: after the newest block. */
export function onFollowedCollateral(
  chain: ChainView,
  followed: readonly FollowedCollateral[],
  receivedAt: number,
  emit: Emit,
): void {
  const newest = chain.blocks.get(chain.head);
  if (!newest) throw new MalformedError('malformed_message', 'accounts are followed before the first block');
  for (const one of followed) emitFollowed(one, newest.timestampMs, receivedAt, emit);
}

/** Emits since when all transfers of an account are known. */
export function emitFollowed(
  { account, ledger }: FollowedCollateral,
  ts: number,
  receivedAt: number,
  emit: Emit,
): void {
  const none = { txHash: null, blockNumber: null, blockHash: null, usd: null };
  emit(collateralChangeTopic, account, { ...{ account, kind: 'followed' as const, ledger, ts, receivedAt }, ...none });
}

function revert({ known }: Collateral, id: string, blockHash: string, emit: Emit): void {
  const change = known.get(id);
  if (change?.blockHash !== blockHash) return;
  known.delete(id);
  emit(collateralChangeTopic, change.account, { ...change, kind: 'reverted' });
}
