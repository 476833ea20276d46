/**
 * The daily files of fills under a builder (venue page, section 9): LZ4 frames of CSV. A response is stored as JSON text,
 * so that a recording can contain it.
 */
import { FieldError, readAmount, readDecimal, readObject, readText } from '../../domain/json-fields.ts';
import { readLz4Frames } from '../../domain/lz4/read-frames.ts';
import type { BuilderFill } from '../../topics/builder-exports.ts';

export const DAY_MS = 86_400_000;
/** From this time after the end of a day on, no file means no fills. */
export const NO_FILE_MS = 2 * DAY_MS;
/** How many days before its registration the files of a builder are requested. */
const DAYS_BACK = 30;
/** Upper bound of a file that is decompressed: some 2,500,000 rows. */
const CONTENT_BYTES_MAX = 512 * 1024 * 1024;

/** The first day whose file is requested of a builder that was registered at `registeredAt` (unix ms). */
export function firstBuilderDay(registeredAt: number): number {
  return (Math.floor(registeredAt / DAY_MS) - DAYS_BACK) * DAY_MS;
}

const REQUEST = /^GET \/Mainnet\/builder_fills\/(0x[0-9a-f]{40})\/(\d{4})(\d\d)(\d\d)\.csv\.lz4$/;

/** A day of a builder. */
export interface BuilderFile {
  readonly builder: string;
  /** Start of the day, unix ms. */
  readonly day: number;
}

/** The request for a file. */
export function builderFileRequest({ builder, day }: BuilderFile): string {
  const date = new Date(day).toISOString().slice(0, 10).replaceAll('-', '');
  return `GET /Mainnet/builder_fills/${builder}/${date}.csv.lz4`;
}

/** The file that a request is for; null for another request. */
export function readBuilderFileRequest(request: string | null): BuilderFile | null {
  const [, builder, year, month, date] = REQUEST.exec(request ?? '') ?? [];
  return builder === undefined ? null : { builder, day: Date.parse(`${year}-${month}-${date}T00:00:00Z`) };
}

/** A response to such a request. */
export interface BuilderFileResponse {
  /** The bytes as they were sent; null where the venue stated that there is no file (403). */
  readonly file: Buffer | null;
  readonly etag: string | null;
}

/** The text that is stored of a response. */
export function builderFileText({ file, etag }: BuilderFileResponse): string {
  return JSON.stringify({ etag, lz4: file?.toString('base64') ?? null });
}

/** Reads the stored text. Throws `SyntaxError` or `FieldError`. */
export function readBuilderFileText(text: string): BuilderFileResponse {
  const { etag, lz4 } = readObject(JSON.parse(text), 'response');
  return {
    etag: etag === null ? null : readText(etag, 'etag'),
    file: lz4 === null ? null : Buffer.from(typeof lz4 === 'string' ? lz4 : readText(lz4, 'lz4'), 'base64'),
  };
}

const COLUMNS = ['time', 'user', 'coin', 'side', 'px', 'sz', 'builder_fee'] as const;
const ADDRESS = /^0x[0-9a-f]{40}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const SIDES: Readonly<Record<string, BuilderFill['side']>> = { Bid: 'buy', Ask: 'sell' };

/** A row without what its file determines. */
export type BuilderRow = Omit<BuilderFill, 'builder' | 'day' | 'fileAt' | 'place'>;

/**
 * Yields the rows of a file in groups. Throws an `Lz4Error` or a `FieldError` where it is unreadable, possibly after
 * groups of rows: so read a file to its end before its rows count.
 */
export function* readBuilderRows(file: Buffer): Generator<readonly BuilderRow[], void> {
  let places: readonly number[] | null = null;
  let columns = 0;
  let rest = '';
  let line = 0;
  const read = (lines: readonly string[]): BuilderRow[] => {
    const rows: BuilderRow[] = [];
    for (const text of lines) {
      line += 1;
      const cells = text.split(',');
      if (places === null) {
        places = COLUMNS.map((name) => columnOf(cells, name));
        columns = cells.length;
      } else if (cells.length === columns) rows.push(readRow(places, cells, line));
      else throw new FieldError(`line ${line}`, `${columns} cells`, cells.length);
    }
    return rows;
  };
  // A chunk may end within a character only if the file is not ASCII, which the checks of the cells refuse.
  for (const chunk of readLz4Frames(file, CONTENT_BYTES_MAX)) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop()!;
    yield read(lines);
  }
  if (rest !== '') throw new FieldError(`line ${line + 1}`, 'a line break at its end', rest);
  if (places === null) throw new FieldError('file', 'a header', '');
}

function columnOf(header: readonly string[], name: string): number {
  const at = header.indexOf(name);
  if (at === -1) throw new FieldError('header', `a column ${name}`, header.join());
  return at;
}

function readRow(places: readonly number[], cells: readonly string[], line: number): BuilderRow {
  const cell = (column: number) => cells[places[column]!]!;
  const [time, user, sideText] = [cell(0), cell(1).toLowerCase(), cell(3)];
  const side = SIDES[sideText];
  const at = (name: string) => `line ${line} ${name}`;
  if (!TIME.test(time) || Number.isNaN(Date.parse(time))) throw new FieldError(at('time'), 'ISO seconds with Z', time);
  if (!ADDRESS.test(user)) throw new FieldError(at('user'), 'an address', user);
  if (side === undefined) throw new FieldError(at('side'), 'Bid or Ask', sideText);
  return {
    user,
    coin: readText(cell(2), at('coin')),
    time: Date.parse(time),
    side,
    price: readAmount(cell(4), at('px')),
    qty: readAmount(cell(5), at('sz')),
    builderFee: readDecimal(cell(6), at('builder_fee')),
  };
}
