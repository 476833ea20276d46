/** Flows of an account of venue_a: its ledger updates that cross its border (venue page, section 3.3). */
import { type Decimal, divideHalfEven, multiply, parseDecimal, ZERO } from '../decimal.ts';
import {
  type JsonObject,
  optionalField,
  readAmount,
  readDecimal,
  readInteger,
  readList,
  readObject,
  readText,
  withPath,
} from '../json-fields.ts';
import type { Flow, FlowProblem } from './flows.ts';

const USDC = 'USDC';

/** An update of `userNonFundingLedgerUpdates`. What its type needs is read when the flow is calculated. */
export interface LedgerUpdate {
  /** Unix ms. */
  readonly time: number;
  readonly hash: string;
  readonly delta: JsonObject;
  readonly type: string;
}

/** Price of a token in USD at a time, ms: that of its own bar there; null without one. */
export type TokenPriceAt = (token: string, timeMs: number) => Decimal | null;

/** What moved in or out, or why the amount is not known; null for a move inside the account. */
type Moved = Decimal | FlowProblem | null;
type ReadMove = (update: LedgerUpdate, address: string, priceAt: TokenPriceAt) => Moved;

/** Reads the response to `userNonFundingLedgerUpdates`. Throws a `FieldError` for any other shape. */
export function readLedgerUpdates(response: unknown): LedgerUpdate[] {
  return readList(response, 'updates').map((value, at) => {
    try {
      const update = readObject(value, 'update');
      const delta = readObject(update.delta, 'delta');
      return {
        time: readInteger(update.time, 'time'),
        hash: readText(update.hash, 'hash'),
        delta,
        type: readText(delta.type, 'delta.type'),
      };
    } catch (error) {
      throw withPath(error, `updates[${at}]`);
    }
  });
}

/**
 * Returns the flow of an update, or null if nothing crossed the border of the account. Throws a `FieldError` for a
 * missing or invalid figure.
 * @param address the account, in lower case.
 */
export function venueAFlow(update: LedgerUpdate, address: string, priceAt: TokenPriceAt): Flow | null {
  const { type, time, hash } = update;
  const read = Object.hasOwn(MOVES, type) ? MOVES[type] : undefined;
  const moved = read ? read(update, address, priceAt) : 'flows_unknown';
  if (moved === null || moved === ZERO) return null;
  const flow = { ts: time, kind: type, txHash: hash };
  return typeof moved === 'string' ? { ...flow, usd: null, problem: moved } : { ...flow, usd: moved, problem: null };
}

const isInternal: ReadMove = () => null;

const MOVES: Readonly<Record<string, ReadMove>> = {
  deposit: ({ delta }) => amountOf(delta, 'usdc'),
  withdraw: ({ delta }) => -(amountOf(delta, 'usdc') + feeOf(delta)) as Decimal,
  internalTransfer: (update, address) => transfer(update, address, 'usdc'),
  subAccountTransfer: (update, address) => transfer(update, address, 'usdc'),
  spotTransfer: (update, address) => transfer(update, address, 'usdcValue'),
  send: (update, address) => transfer(update, address, 'usdcValue'),
  spotGenesis: reward,
  rewardsClaim: reward,
  accountClassTransfer: isInternal,
  cStakingTransfer: isInternal,
  vaultDeposit: isInternal,
  vaultWithdraw: isInternal,
  vaultDistribution: isInternal,
  vaultCreate: isInternal,
  vaultLeaderCommission: isInternal,
  activateDexAbstraction: isInternal,
  borrowLend: isInternal,
  deployGasAuction: isInternal,
  liquidation: isInternal,
};

/** A transfer between two accounts. The sender also pays the fee; one from the account to itself is internal. */
function transfer({ delta }: LedgerUpdate, address: string, valueField: 'usdc' | 'usdcValue'): Moved {
  const isOut = readText(delta.user, 'user').toLowerCase() === address;
  const isIn = readText(delta.destination, 'destination').toLowerCase() === address;
  if (isOut && isIn) return null;
  // The venue reported it about this account, but no side of it is the account: its direction is unknown.
  if (!isOut && !isIn) return 'flows_unknown';
  const usd = optionalField(delta, valueField, readAmount);
  if (usd === undefined) return 'flow_unpriced';
  const value = parseDecimal(usd);
  if (isIn) return value;
  const fee = senderFee(delta, value);
  return fee === null ? 'flow_unpriced' : (-(value + fee) as Decimal);
}

/** A fee in USDC or in the sent token leaves with the transfer; any other fee is a cost of the account. */
function senderFee(delta: JsonObject, value: Decimal): Decimal | null {
  const fee = feeOf(delta);
  const feeToken = optionalField(delta, 'feeToken', readText) ?? USDC;
  if (fee === ZERO || feeToken === USDC) return fee;
  if (feeToken !== delta.token) return ZERO;
  const amount = amountOf(delta, 'amount');
  return amount === ZERO ? null : (divideHalfEven(fee * value, amount) as Decimal);
}

/** Tokens that the venue gave, at the price of their own bar at that time. */
function reward({ delta, time }: LedgerUpdate, _address: string, priceAt: TokenPriceAt): Moved {
  const amount = parseDecimal(readDecimal(delta.amount, 'amount'));
  const token = readText(delta.token, 'token');
  if (token === USDC || amount === ZERO) return amount;
  const price = priceAt(token, time);
  return price === null ? 'flow_unpriced' : multiply(amount, price);
}

const amountOf = (delta: JsonObject, field: string): Decimal => parseDecimal(readAmount(delta[field], field));
const feeOf = (delta: JsonObject): Decimal => parseDecimal(optionalField(delta, 'fee', readAmount) ?? '0');
