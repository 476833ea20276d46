/** Emits the acquisition of an account once its positions and its cash were received (venue_b page, section 4). */
import type { Emit, StageRecord } from '#infra/stages/stage';
import {
  POSITIONS_OFFSET_MAX,
  POSITIONS_PAGE,
  readCollateralBalance,
  readVenueBPositions,
} from '#schemas/domain/accounts/venue-b-value';
import { formatDecimal } from '#schemas/domain/decimal';
import { asList, asObject, asText, parseJsonOrNull } from '#schemas/domain/json-fields';
import { failedAcquisitionTopics, venueBAcquisitionTopic } from '#schemas/topics/accounts';
import type { RawEnvelope } from '#schemas/topics/raw';
import { accountName } from '#schemas/venues/accounts';
import { readBalanceCall } from '#schemas/venues/venue-b/balance-call';
import { COLLATERAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import { addPart, oldestPartOf } from '../../shared/acquired-parts.ts';
import { rejectMalformed } from '../../shared/malformed.ts';
import { MALFORMED_FRAME } from './messages.ts';
import type { AccountResponse, VenueBState } from './state.ts';

type Raw = StageRecord<RawEnvelope>;

/** Handles a page of `/positions`; only complete lists count, without a threshold or another filter. */
export function onPositions(state: VenueBState, record: Raw, emit: Emit): void {
  const { request, payload } = record.value;
  const [, path = '', query = ''] = /^GET (\/[^?]*)\??(.*)$/.exec(request ?? '') ?? [];
  const parameters = new URLSearchParams(query);
  const address = parameters.get('user')?.toLowerCase();
  const isComplete = parameters.get('sizeThreshold') === '0' && parameters.get('limit') === String(POSITIONS_PAGE);
  const filters = ['market', 'eventId', 'redeemable', 'mergeable', 'title'];
  if (path !== '/positions' || !address || !isComplete || filters.some((name) => parameters.has(name))) return;
  const key = pageKey(Number(parameters.get('offset') ?? 0));
  add(state, address, key, { text: payload.toString(), block: null, oldestAt: null }, record, emit);
}

/** Handles the balance of a collateral token. */
export function onBalance(state: VenueBState, record: Raw, emit: Emit): void {
  const call = readBalanceCall(asObject(parseJsonOrNull(record.value.request ?? '')));
  if (call === null) return;
  const text = asText(parseJsonOrNull(record.value.payload.toString())) ?? '';
  add(state, call.account, balanceKey(call.token), { text, block: call.block, oldestAt: call.oldestAt }, record, emit);
}

const pageKey = (offset: number) => `page ${offset}`;
const balanceKey = (token: string) => `balance ${token}`;

function add(
  state: VenueBState,
  address: string,
  key: string,
  response: AccountResponse,
  { receivedAt }: Raw,
  emit: Emit,
): void {
  const parts = addPart(state.acquiredParts, address, key, response, receivedAt);
  const balances = Object.values(COLLATERAL_TOKENS).flatMap((token) => parts.get(balanceKey(token)) ?? []);
  const pages = pagesOf(parts);
  const isComplete = pages !== null && balances.length === Object.keys(COLLATERAL_TOKENS).length;
  if (!isComplete || balances.some(({ block }) => block !== balances[0]!.block)) return;
  const asOf = Math.min(
    oldestPartOf(state.acquiredParts, address),
    ...balances.flatMap(({ oldestAt }) => oldestAt ?? []),
  );
  state.acquiredParts.delete(address);
  const account = accountName('venue_b', address);
  try {
    const positions = readVenueBPositions(pages).map(({ asset, size, price, redeemable }) => ({
      asset,
      size: formatDecimal(size),
      price: formatDecimal(price),
      redeemable,
    }));
    const cash = balances.map(({ text }) => formatDecimal(readCollateralBalance(text, 'balanceOf')));
    emit(venueBAcquisitionTopic, account, { account, receivedAt, asOf, positions, cash });
  } catch (error) {
    rejectMalformed(error, MALFORMED_FRAME, emit);
    emit(failedAcquisitionTopics.venue_b, account, { account, receivedAt, reason: (error as Error).message });
  }
}

/** The pages from the first to the last one; null until all were received. */
function pagesOf(parts: ReadonlyMap<string, AccountResponse>): readonly string[] | null {
  const pages: string[] = [];
  for (;;) {
    const page = parts.get(pageKey(pages.length * POSITIONS_PAGE));
    if (!page) return null;
    pages.push(page.text);
    // A full page at the largest offset is refused when it is read: later rows cannot be requested.
    const isLast = pages.length * POSITIONS_PAGE > POSITIONS_OFFSET_MAX;
    if (isLast || asList(parseJsonOrNull(page.text)).length < POSITIONS_PAGE) return pages;
  }
}
