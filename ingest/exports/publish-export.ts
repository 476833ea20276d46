/** Publishes an export as parts (`schemas/domain/export-parts.ts`). */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { partPayload } from '#schemas/domain/export-parts';
import type { Publisher, Received } from '../publisher/publisher.ts';
import { type Part, splitRows } from './split-rows.ts';

const compress = promisify(gzip);

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

/** Publishes all parts of an export, with no other record between them. */
export function publishExport(
  publisher: Publisher,
  received: Omit<Received, 'payload'>,
  parts: readonly Buffer[],
): void {
  for (const [index, compressed] of parts.entries())
    publisher.receive({ ...received, payload: partPayload({ index, count: parts.length }, compressed) });
}
