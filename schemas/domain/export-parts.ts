/**
 * How an export is stored: an answer that may be larger than a record is split into parts, each of which is a record of
 * its raw topic. The texts of all parts in order are the answer, byte for byte. The payload of such a record is the index
 * of the part and the number of parts (32 bits each, big-endian), then the text of the part, compressed with gzip.
 */
import { gunzipSync } from 'node:zlib';

/** Upper bound of the text of one part, which protects memory. */
export const PART_TEXT_BYTES_MAX = 4 * 1024 * 1024;

const HEAD_BYTES = 8;

/** The place of a part among those of its export. */
export interface PartPlace {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

/** Thrown for a payload that is no part of an export. */
export class ExportPartError extends Error {
  override name = 'ExportPartError';
  readonly code = 'malformed_part';
  readonly canRetry = false;
}

/** The payload of a part. @param compressed its text after gzip. */
export function partPayload({ index, count }: PartPlace, compressed: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(index, 0);
  head.writeUInt32BE(count, 4);
  return Buffer.concat([head, compressed]);
}

/** Reads the place of a part. Throws `ExportPartError`. */
export function readPartPlace(payload: Buffer): PartPlace {
  if (payload.length < HEAD_BYTES) throw new ExportPartError(`${payload.length} bytes are too few for a part`);
  const place = { index: payload.readUInt32BE(0), count: payload.readUInt32BE(4) };
  if (place.index >= place.count) throw new ExportPartError(`there is no part ${place.index} of ${place.count}`);
  return place;
}

/** Reads the text of a part. Throws `ExportPartError`. */
export function readPartText(payload: Buffer): string {
  try {
    return gunzipSync(payload.subarray(HEAD_BYTES), { maxOutputLength: PART_TEXT_BYTES_MAX }).toString();
  } catch (cause) {
    throw new ExportPartError(`the text of a part is not readable: ${(cause as Error).message}`, { cause });
  }
}
