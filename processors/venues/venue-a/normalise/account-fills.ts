/** Answers and frames with the fills of an account (venue page, sections 3.2, 4 and 7). */
import type { Emit } from '#infra/stages/stage';
import {
  FieldError,
  type JsonObject,
  optionalField,
  readInteger,
  readObject,
  readText,
} from '#schemas/domain/json-fields';
import { type FillList, fillPageTopic, subscribedFillTopic, type VenueAFill } from '#schemas/topics/account-fills';
import { FILLS_OF_PAGE, readFills } from '#schemas/venues/venue-a/fills';
import type { VenueAState } from './state.ts';

interface FillAnswer {
  readonly state: Pick<VenueAState, 'instruments'>;
  readonly request: JsonObject;
  readonly body: unknown;
  readonly receivedAt: number;
  readonly requestedAt: number | null;
  readonly emit: Emit;
}

/** Emits a response with all of its fills. One that cannot be read throws, so that no page lacks a fill. */
export function emitFillPage(
  list: FillList,
  { state, request, body, receivedAt, requestedAt, emit }: FillAnswer,
): void {
  // Aggregated fills are not the fills that happened.
  if (request.aggregateByTime === true || request.reversed === true) return;
  const user = readText(request.user, 'request.user').toLowerCase();
  const fills = readFills(list, body, (coin) => state.instruments.get(coin)?.base ?? null);
  checkAscending(fills);
  emit(fillPageTopic, user, {
    user,
    list,
    from: readInteger(request.startTime, 'request.startTime'),
    until: optionalField(request, 'endTime', readInteger) ?? null,
    requestedAt,
    receivedAt,
    isFull: fills.length >= FILLS_OF_PAGE,
    fills,
  });
}

/** Emits the fills of a frame. One that cannot be read throws. */
export function emitSubscribedFills(
  state: Pick<VenueAState, 'instruments'>,
  data: unknown,
  receivedAt: number,
  emit: Emit,
): void {
  const { user: address, fills: rows } = readObject(data, 'data');
  const user = readText(address, 'data.user').toLowerCase();
  const fills = readFills('orders', rows, (coin) => state.instruments.get(coin)?.base ?? null);
  if (fills.length > 0) emit(subscribedFillTopic, user, { user, receivedAt, fills });
}

function checkAscending(fills: readonly VenueAFill[]): void {
  const at = fills.findIndex(({ time }, index) => index > 0 && time < fills[index - 1]!.time);
  if (at !== -1) throw new FieldError(`answer[${at}].time`, 'ascending times', fills[at]!.time);
}
