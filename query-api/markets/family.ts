/**
 * A market family: one kind of instrument, which REST serves in its own terms. A family is one declaration, and each
 * function of this folder makes a route of it, so all families have the same rules.
 */
import type { z } from 'zod';
import { ApiError, type ErrorCode } from '#schemas/errors';
import type { AssetContext, Instrument } from '#schemas/topics/normalised';
import { PROVIDER } from '../upstream/read-info.ts';
import type { CoinsOfVenue } from '../views/coins.ts';

/** A name in the path of a family. */
export interface Name {
  /** The parameter of the path, which errors name. */
  readonly parameter: string;
  readonly description: string;
  /** A name that is not listed is malformed unless it matches. */
  readonly pattern: RegExp;
  /** What the pattern accepts, for the error. */
  readonly accepts: string;
  /** The error of a name that matches and is not listed. */
  readonly unknown: ErrorCode;
  /** True if it is a listed name. Not called for the name of a market, which is looked up with `find`. */
  readonly isListed?: (coins: CoinsOfVenue, name: string) => boolean;
}

/** Names by parameter. */
export type Names = Readonly<Record<string, string>>;

/** A part of a response: its shape, and how it follows from what is known of a market. */
export interface Part<A extends readonly unknown[], T> {
  readonly shape: z.ZodType<T>;
  readonly of: (...known: A) => T;
}

export interface Family<Row = unknown, Snapshot = unknown> {
  /** Path of the list; the path of a market adds the parameter of its name. */
  readonly path: `/v1/markets/venue_a/${string}`;
  /** What one market is called: `coin`. */
  readonly noun: string;
  /** What several are called, which is also the field of the list: `coins`. */
  readonly plural: string;
  /** Names in the path of the list. */
  readonly within: readonly Name[];
  /** The name of a market in it. */
  readonly name: Name;
  /** Units of prices and sizes, for the docs. */
  readonly units: { readonly price: string; readonly size: string };
  /** All markets of the family within the names, also delisted ones. */
  readonly all: (coins: CoinsOfVenue, within: Names) => Iterable<Instrument>;
  /** True once the venue's list was received, which may have no market within the names. */
  readonly isReceived: (coins: CoinsOfVenue) => boolean;
  /** The market of these names, also a delisted one; null for none. */
  readonly find: (coins: CoinsOfVenue, names: Names) => Instrument | null;
  /** False if it is delisted: then it is in no list, and has no snapshot and no book. */
  readonly isListed: (coins: CoinsOfVenue, instrument: Instrument) => boolean;
  readonly row: Part<[Instrument], Row>;
  readonly snapshot: Part<[Instrument, AssetContext], Snapshot>;
  /** True if its candles state where their minutes come from. */
  readonly hasCandleSource: boolean;
}

/** A family whose markets have books and trades. */
export interface TradedFamily<Row = unknown, Snapshot = unknown> extends Family<Row, Snapshot> {
  /** How books and trades name a market. */
  readonly label: { readonly field: string; readonly of: (instrument: Instrument) => string };
}

/** Maximum length of an unknown name that an error message repeats. */
const ECHOED_CHARACTERS_MAX = 100;

/** Path of one market. */
export function marketPath({ path, name }: Pick<Family, 'path' | 'name'>): `/${string}` {
  return `${path}/:${name.parameter}`;
}

/** Throws 400 `validation_failed` for a malformed name, then the error of the first unknown name within which a list is. */
export function checkWithin({ within }: Pick<Family, 'within'>, coins: CoinsOfVenue, names: Names): void {
  const unlisted = within.filter(({ parameter, isListed }) => !isListed?.(coins, names[parameter]!));
  for (const name of unlisted) checkPattern(name, names);
  for (const name of unlisted) throw unknownName(name, names);
}

/**
 * Finds a market for a snapshot or a book, which only listed markets have. Throws 400 `validation_failed` for a
 * malformed name, 404 for an unknown one. A name that the venue lists is found however it is spelled.
 */
export function findListed(family: Family, coins: CoinsOfVenue, names: Names): Instrument {
  const instrument = family.find(coins, names);
  if (instrument && family.isListed(coins, instrument)) return instrument;
  throw notFound(family, coins, names, instrument);
}

/** Finds a market for trades or candles, which delisted markets have too. Throws like `findListed`. */
export function findRecorded(family: Family, coins: CoinsOfVenue, names: Names): Instrument {
  const instrument = family.find(coins, names);
  if (instrument) return instrument;
  throw notFound(family, coins, names, null);
}

/** The error for names of no market that can be served: 400 for the first malformed one, else 404 for the first unknown one. */
function notFound(family: Family, coins: CoinsOfVenue, names: Names, delisted: Instrument | null): ApiError {
  const { within, name } = family;
  const unlisted = within.filter(({ parameter, isListed }) => !isListed?.(coins, names[parameter]!));
  if (!delisted) for (const part of [...unlisted, name]) checkPattern(part, names);
  return unknownName(unlisted[0] ?? name, names);
}

function checkPattern({ parameter, pattern, accepts }: Name, names: Names): void {
  if (!pattern.test(names[parameter]!)) throw new ApiError('validation_failed', `${parameter}: must be ${accepts}`);
}

function unknownName({ parameter, unknown }: Name, names: Names): ApiError {
  return new ApiError(unknown, `no ${parameter} ${names[parameter]!.slice(0, ECHOED_CHARACTERS_MAX)}`);
}

/** The error 502 `upstream_unavailable` for data that the venue has not sent yet, so without an upstream response. */
export function noDataReceived(message: string): ApiError {
  return new ApiError('upstream_unavailable', message, { upstream: { provider: PROVIDER, status: null, body: null } });
}
