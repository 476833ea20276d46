/** Publishes an export as parts (`schemas/domain/export-parts.ts`). */
import { setImmediate as yieldToIo } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { partPayload } from '#schemas/domain/export-parts';
import type { Publisher, Received } from '../publisher/publisher.ts';
import { type Part, splitRows } from './split-rows.ts';

const compress = promisify(gzip);

/** Parts published in one turn of the event loop: some milliseconds of work. */
export const PARTS_PER_TURN = 16;

/**
 * Compresses an export part by part while it arrives, so that it is never in memory uncompressed. Rejects with the
 * errors of the chunks and of `check`, which is called with every part.
 */
export async function compressExport(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  check: (part: Part) => void = () => {},
): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  for await (const part of splitRows(chunks)) {
    check(part);
    parts.push(await compress(part.text));
  }
  return parts;
}

/** Publishes all parts of an export. The caller publishes no other record of its feed meanwhile. */
export async function publishExport(
  publisher: Pick<Publisher, 'receive'>,
  received: Omit<Received, 'payload'>,
  parts: readonly Buffer[],
): Promise<void> {
  for (const [index, compressed] of parts.entries()) {
    if (index > 0 && index % PARTS_PER_TURN === 0) await yieldToIo();
    publisher.receive({ ...received, payload: partPayload({ index, count: parts.length }, compressed) });
  }
}
