/** Publishes an export as parts (`schemas/domain/export-parts.ts`). */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { nextTurn } from '#infra/runtime/turn';
import { partPayload } from '#schemas/domain/export-parts';
import type { Publisher, Received } from '../publisher/publisher.ts';
import { type Part, splitRows } from './split-rows.ts';

const compress = promisify(gzip);

/** Called after each part, so that other work has its turn; a longer pause also leaves it more of the processor. */
export type Pause = () => Promise<void>;

/**
 * Compresses an export part by part while it arrives, so that it is never in memory uncompressed. Rejects with the
 * errors of the chunks, of `pause` and of `check`, which is called with every part.
 */
export async function compressExport(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  check: (part: Part) => void = () => {},
  pause: Pause = nextTurn,
): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  for await (const part of splitRows(chunks)) {
    check(part);
    parts.push(await compress(part.text));
    await pause();
  }
  return parts;
}

/**
 * Publishes all parts of an export. The caller publishes no other record of its feed meanwhile. Rejects with the errors of
 * `pause`; the parts until then change nothing, since the last one is missing.
 */
export async function publishExport(
  publisher: Pick<Publisher, 'receive'>,
  received: Omit<Received, 'payload'>,
  parts: readonly Buffer[],
  pause: Pause = nextTurn,
): Promise<void> {
  for (const [index, compressed] of parts.entries()) {
    if (index > 0) await pause();
    publisher.receive({ ...received, payload: partPayload({ index, count: parts.length }, compressed) });
  }
}
