/** Reads what was traded under builders, by anyone. */
import { type Decimal, parseDecimal, ZERO } from '#schemas/domain/decimal';
import { sumKnown } from '#schemas/domain/sum-known';
import { DAY_MS } from '#schemas/venues/venue-a/builder-export';
import { query, type Reader } from './query.ts';

/** Venue time, unix ms: `from` inclusive (null: all), `to` exclusive. */
export interface VolumeWindow {
  readonly from: number | null;
  readonly to: number;
}

export interface PlatformVolume {
  readonly volumeUsd: Decimal;
  readonly tradeCount: number;
  /** Null on a venue whose fills state no fee of the builder. */
  readonly builderFeeUsd: Decimal | null;
  /** Which of the given users have such a fill. */
  readonly users: ReadonlySet<string>;
}

/** A day of a builder whose file has arrived, or for which there is none. */
export interface ArrivedDay {
  readonly builder: string;
  /** Its start, unix ms. */
  readonly day: number;
  /** Which file has its rows: when it was received, unix ms. */
  readonly fileAt: number;
}

interface SumRow {
  readonly volume: string;
  readonly fee: string | null;
  readonly trades: number;
  readonly users: readonly string[];
}

const IN_WINDOW = 'ts >= fromUnixTimestamp64Milli({from:Int64}) AND ts < fromUnixTimestamp64Milli({to:Int64})';
/** A product of two decimals has more places than their type holds. */
const PRODUCT = (price: string) => `toDecimal256(${price}, 18) * toDecimal256(qty, 18)`;
const SUM = (values: string) => `toString(toDecimal256(sum(${values}), 18))`;
const USERS = 'groupUniqArrayIf(user, has({users:Array(String)}, user))';
const windowParameters = ({ from, to }: VolumeWindow) => ({ from: from ?? 0, to });

/** Reads the days of builders of venue_a that have arrived. Read them before the volume, which follows from their files. */
export function readArrivedDays(store: Reader, builders: readonly string[]): Promise<readonly ArrivedDay[]> {
  return query(store, {
    name: 'builder-days',
    sql: `SELECT builder, toFloat64(toUnixTimestamp64Milli(d.day)) AS day, toFloat64(toUnixTimestamp64Milli(d.fileAt)) AS fileAt
     FROM builder_days AS d FINAL WHERE has({builders:Array(String)}, builder) ORDER BY builder, d.day`,
    parameters: { builders },
    parse: (rows: ArrivedDay[]) => rows,
  });
}

/** Maximum of files per statement: they are sent in its URL. */
const FILES_MAX = 2_000;

/** Sums the rows of the files of these days. */
export async function readVenueAVolume(
  store: Reader,
  days: readonly ArrivedDay[],
  window: VolumeWindow,
  users: readonly string[],
): Promise<PlatformVolume> {
  const { from, to } = window;
  const inWindow = days.filter(({ day }) => day < to && (from === null || day + DAY_MS > from));
  const parts: PlatformVolume[] = [];
  for (let at = 0; at < inWindow.length; at += FILES_MAX)
    parts.push(await readFiles(store, inWindow.slice(at, at + FILES_MAX), window, users));
  return {
    volumeUsd: sumKnown(parts.map(({ volumeUsd }) => volumeUsd))!,
    tradeCount: parts.reduce((sum, { tradeCount }) => sum + tradeCount, 0),
    builderFeeUsd: sumKnown(parts.map(({ builderFeeUsd }) => builderFeeUsd)),
    users: new Set(parts.flatMap((part) => [...part.users])),
  };
}

function readFiles(
  store: Reader,
  days: readonly ArrivedDay[],
  window: VolumeWindow,
  users: readonly string[],
): Promise<PlatformVolume> {
  return query(store, {
    name: 'builder-volume',
    sql: `SELECT ${SUM(PRODUCT('price'))} AS volume, ${SUM('toDecimal256(builderFee, 18)')} AS fee,
       toFloat64(count()) AS trades, ${USERS} AS users
     FROM (
       SELECT price, qty, builderFee, user FROM builder_fills FINAL
       WHERE has({builders:Array(String)}, builder)
         AND has({files:Array(String)}, concat(builder, ' ', toString(toUnixTimestamp64Milli(day)), ' ', toString(toUnixTimestamp64Milli(fileAt))))
         AND ${IN_WINDOW.replaceAll('ts ', 'time ')}
     )`,
    parameters: {
      builders: [...new Set(days.map(({ builder }) => builder))],
      files: days.map(({ builder, day, fileAt }) => `${builder} ${day} ${fileAt}`),
      users,
      ...windowParameters(window),
    },
    parse: ([row]: SumRow[]) => toVolume(row!),
  });
}

/** Sums the legs of both orders of trades of venue_b, each at its own price. */
export function readVenueBVolume(
  store: Reader,
  builders: readonly string[],
  window: VolumeWindow,
  users: readonly string[],
): Promise<PlatformVolume> {
  const legs = (user: string, price: string, builder: string) =>
    `SELECT assumeNotNull(${user}) AS user, ${PRODUCT(`assumeNotNull(${price})`)} AS usd FROM trades FINAL
     WHERE provider = 'venue_b' AND status != 'reverted' AND ${IN_WINDOW} AND has({builders:Array(String)}, assumeNotNull(${builder}))`;
  return query(store, {
    name: 'platform-legs',
    sql: `SELECT ${SUM('usd')} AS volume, NULL AS fee, toFloat64(count()) AS trades, ${USERS} AS users
     FROM (${legs('maker', 'makerPrice', 'makerBuilder')} UNION ALL ${legs('taker', 'price', 'takerBuilder')})`,
    parameters: { builders, users, ...windowParameters(window) },
    parse: ([row]: SumRow[]) => toVolume(row!),
  });
}

/** What was traded under no builder. */
export const NO_VOLUME = { volumeUsd: ZERO, tradeCount: 0, users: new Set<string>() } as const;

function toVolume({ volume, fee, trades, users }: SumRow): PlatformVolume {
  return {
    volumeUsd: parseDecimal(volume),
    tradeCount: trades,
    builderFeeUsd: fee === null ? null : parseDecimal(fee),
    users: new Set(users),
  };
}
