/**
 * Flows of followed accounts of venue_a: each ledger update of the venue becomes a flow once. Rewards in tokens get their
 * price from the bar of the token's own pair that contains their time.
 */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { INTERVALS } from '#schemas/domain/candles/sources';
import { formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import { FieldError } from '#schemas/domain/json-fields';
import type { Flow } from '#schemas/domain/returns/flows';
import {
  type LedgerUpdate,
  readLedgerUpdates,
  type TokenPriceAt,
  venueAFlow,
} from '#schemas/domain/returns/venue-a-flows';
import {
  type AccountFlow,
  accountFlowTopics,
  type FlowCoverage,
  flowCoverageTopics,
} from '#schemas/topics/account-flows';
import type { Candle } from '#schemas/topics/candles';
import type { Instrument } from '#schemas/topics/normalised';
import { LEDGER_UPDATES_OF_PAGE } from '#schemas/venues/venue-a/ledger-updates';
import { priceInterval } from '#schemas/venues/venue-a/price-bars';
import type { FollowedAccount, LoadedFlows, SeriesState, UnpricedFlow } from './state.ts';
import { UNPRICED_MAX } from './state.ts';

const flowTopic = accountFlowTopics.venue_a;
const coverageTopic = flowCoverageTopics.venue_a;
const USDC = 'USDC';

export const createLoadedFlows = (): LoadedFlows => ({ newestAt: 0, newestCount: 0, knownThrough: 0, unpriced: [] });

/** An update that was not processed before, with its flow. */
interface NewFlow {
  readonly id: string;
  readonly update: LedgerUpdate;
  /** Null for a move inside the account. */
  readonly flow: Flow | null;
  /** The token whose price is missing; null if none is. */
  readonly token: string | null;
}

/**
 * Processes a response with ledger updates that was requested from a time on.
 * @param range ms: `startTime` of the request, inclusive. A response that begins after the newest known update could miss
 *   some, and is skipped. `completeUntil`: later updates may be missing.
 * Throws a `FieldError` for a response of another shape, before anything changes.
 */
export function addLedgerUpdates(
  state: SeriesState,
  account: string,
  response: unknown,
  {
    startTime,
    receivedAt,
    completeUntil,
  }: { readonly startTime: number; readonly receivedAt: number; readonly completeUntil: number },
  emit: Emit,
): void {
  const followed = state.followed.get(account);
  const flows = followed?.flows;
  if (!followed || !flows || startTime > flows.newestAt) return;
  const updates = inOrder(readLedgerUpdates(response));
  const added = newFlowsOf(updates, flows, account.slice(account.indexOf(':') + 1));
  for (const { id, flow } of added)
    if (flow) emit(flowTopic, account, flowRecord(account, followed, id, flow, receivedAt));
  waitForPrices(state, account, flows, added);
  const newest = updates.at(-1)?.time;
  if (newest !== undefined && newest >= flows.newestAt) {
    flows.newestAt = newest;
    flows.newestCount = updates.filter(({ time }) => time === newest).length;
  }
  if (updates.length < LEDGER_UPDATES_OF_PAGE) flows.knownThrough = Math.max(flows.knownThrough, completeUntil);
  emitCoverage(state, account, followed, receivedAt, emit);
}

/** A page that is full ends somewhere, so its order counts. */
function inOrder(updates: LedgerUpdate[]): LedgerUpdate[] {
  const isAscending = updates.every(({ time }, at) => at === 0 || updates[at - 1]!.time <= time);
  if (!isAscending && updates.length >= LEDGER_UPDATES_OF_PAGE)
    throw new FieldError('updates', 'a full page in the order of time', 'another order');
  return isAscending ? updates : updates.sort((a, b) => a.time - b.time);
}

function newFlowsOf(updates: readonly LedgerUpdate[], flows: LoadedFlows, address: string): NewFlow[] {
  const added: NewFlow[] = [];
  let [time, nth] = [-1, 0];
  for (const update of updates) {
    nth = update.time === time ? nth + 1 : 0;
    time = update.time;
    if (time < flows.newestAt || (time === flows.newestAt && nth < flows.newestCount)) continue;
    let token: string | null = null;
    const flow = venueAFlow(update, address, (name) => {
      token = name;
      return null;
    });
    added.push({ id: `${time}:${update.hash}:${nth}`, update, flow, token });
  }
  return added;
}

/** Stores which flows need a price; the oldest of too many never get one. */
function waitForPrices(state: SeriesState, account: string, flows: LoadedFlows, added: readonly NewFlow[]): void {
  const unpriced = added.flatMap(({ id, update, token }) =>
    token === null ? [] : [{ id, ts: update.time, update, token }],
  );
  if (unpriced.length === 0) return;
  flows.unpriced = [...flows.unpriced, ...unpriced].slice(-UNPRICED_MAX);
  for (const { token } of flows.unpriced) {
    const wanting = state.wanting.get(token);
    if (wanting) wanting.add(account);
    else state.wanting.set(token, new Set([account]));
  }
}

/**
 * Prices the flows whose time the bar contains, with its open: a bar in progress does not change that any more. Bars of
 * other lengths than the requested one are left out, so that a price does not depend on what clients read.
 */
export function onBar(state: SeriesState, { value, receivedAt }: StageRecord<Candle>, emit: Emit): void {
  if (state.wanting.size === 0) return;
  const { coin, openTime, intervalMs, open } = value;
  for (const [token, accounts] of state.wanting) {
    if (state.pairs.get(token)?.coin !== coin) continue;
    const priceAt: TokenPriceAt = (name, time) =>
      name === token &&
      time >= openTime &&
      time < openTime + intervalMs &&
      INTERVALS[priceInterval(receivedAt - time)] === intervalMs
        ? parseDecimal(open)
        : null;
    for (const account of accounts) price(state, account, token, priceAt, receivedAt, emit);
    if (accounts.size === 0) state.wanting.delete(token);
  }
}

function price(
  state: SeriesState,
  account: string,
  token: string,
  priceAt: TokenPriceAt,
  receivedAt: number,
  emit: Emit,
): void {
  const followed = state.followed.get(account)!;
  const flows = followed.flows!;
  const address = account.slice(account.indexOf(':') + 1);
  const remaining: UnpricedFlow[] = [];
  for (const unpriced of flows.unpriced) {
    const flow = venueAFlow(unpriced.update, address, priceAt);
    if (flow === null || flow.usd === null) remaining.push(unpriced);
    else emit(flowTopic, account, flowRecord(account, followed, unpriced.id, flow, receivedAt));
  }
  if (remaining.length === flows.unpriced.length) return;
  flows.unpriced = remaining;
  if (!remaining.some((unpriced) => unpriced.token === token)) state.wanting.get(token)!.delete(account);
  emitCoverage(state, account, followed, receivedAt, emit);
}

/** Of several pairs of a token with USDC the one with the lowest index counts. */
export function onInstrument({ pairs }: SeriesState, { key: coin, value }: StageRecord<Instrument | null>): void {
  if (value?.kind !== 'spot' || value.base === null || value.quote !== USDC || value.delisted) return;
  const known = pairs.get(value.base);
  if (!known || value.index < known.index) pairs.set(value.base, { coin, index: value.index });
}

/** Removes an account that is no longer followed from those that wait for prices. */
export function stopWaiting({ wanting }: SeriesState, account: string): void {
  for (const [token, accounts] of wanting) if (accounts.delete(account) && accounts.size === 0) wanting.delete(token);
}

export function emitCoverage(
  { pairs }: Pick<SeriesState, 'pairs'>,
  account: string,
  { ledger, flows }: FollowedAccount,
  receivedAt: number,
  emit: Emit,
): void {
  const { newestAt, knownThrough, unpriced } = flows!;
  const wantedPrices = unpriced.flatMap(({ token, ts }) => {
    const pair = pairs.get(token);
    return pair ? [{ coin: pair.coin, ts }] : [];
  });
  const coverage: FlowCoverage = {
    account,
    ledger,
    receivedAt,
    knownFrom: null,
    knownThrough,
    requestFrom: newestAt,
    wantedPrices,
  };
  emit(coverageTopic, account, coverage);
}

function flowRecord(
  account: string,
  { ledger }: FollowedAccount,
  id: string,
  { ts, kind, txHash, usd, problem }: Flow,
  receivedAt: number,
): AccountFlow {
  const amount = usd === null ? null : formatDecimal(usd);
  return { account, ledger, id, state: 'applied', receivedAt, ts, kind, txHash, usd: amount, problem };
}
