/** Reads one row of the export of venue_a's leaderboard (venue page, section 9). */
import {
  asText,
  FieldError,
  type JsonObject,
  optionalField,
  readDecimal,
  readList,
  readObject,
  readText,
} from '#schemas/domain/json-fields';
import { LEADERBOARD_WINDOWS, type LeaderboardRow } from '#schemas/topics/leaderboard';

const ADDRESS = /^0x[0-9a-f]{40}$/;
/** The integer digits that a decimal column holds; the number of decimals is checked by `readDecimal`. */
const INTEGER_DIGITS_MAX = 20;

/** Reads a row. Throws `FieldError` for a figure that is not a decimal; one that is missing is null. */
export function readRow(value: unknown, capturedAt: number): LeaderboardRow {
  const row = readObject(value, 'row');
  const address = readText(row.ethAddress, 'ethAddress').toLowerCase();
  if (!ADDRESS.test(address)) throw new FieldError('ethAddress', 'an address', row.ethAddress);
  const windows = readWindows(row.windowPerformances);
  const [day, week, month, allTime] = LEADERBOARD_WINDOWS.map((window) => windows.get(window) ?? {});
  return {
    capturedAt,
    address,
    displayName: asText(row.displayName),
    accountValue: figureOf(row, 'accountValue'),
    dayPnl: figureOf(day!, 'pnl'),
    dayRoi: figureOf(day!, 'roi'),
    dayVlm: figureOf(day!, 'vlm'),
    weekPnl: figureOf(week!, 'pnl'),
    weekRoi: figureOf(week!, 'roi'),
    weekVlm: figureOf(week!, 'vlm'),
    monthPnl: figureOf(month!, 'pnl'),
    monthRoi: figureOf(month!, 'roi'),
    monthVlm: figureOf(month!, 'vlm'),
    allTimePnl: figureOf(allTime!, 'pnl'),
    allTimeRoi: figureOf(allTime!, 'roi'),
    allTimeVlm: figureOf(allTime!, 'vlm'),
  };
}

/** The figures by window; the venue writes pairs of a name and figures. */
function readWindows(value: unknown): ReadonlyMap<string, JsonObject> {
  return new Map(
    readList(value, 'windowPerformances').map((pair, at) => {
      const [name, figures] = readList(pair, `windowPerformances[${at}]`);
      return [readText(name, `windowPerformances[${at}][0]`), readObject(figures, `windowPerformances[${at}][1]`)];
    }),
  );
}

function figureOf(object: JsonObject, field: string): string | null {
  return optionalField(object, field, readFigure) ?? null;
}

function readFigure(value: unknown, field: string): string {
  const figure = readDecimal(value, field);
  const point = figure.indexOf('.');
  const digits = (point === -1 ? figure.length : point) - (figure.startsWith('-') ? 1 : 0);
  if (digits > INTEGER_DIGITS_MAX)
    throw new FieldError(field, `at most ${INTEGER_DIGITS_MAX} digits before the point`, value);
  return figure;
}
