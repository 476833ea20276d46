/**
 * Compresses bodies with the encoding that the client prefers. Compression takes far longer than everything else a
 * request does, so a cached body also stores its compressed forms.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Bodies up to this size are not compressed (contract, REST). */
export const COMPRESS_ABOVE_BYTES = 1024;
/** Brotli's default of 11 takes tens of times as long and saves only a few percent more. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 6;
export const JSON_TYPE = 'application/json; charset=utf-8';

const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);

export type Encoding = 'br' | 'gzip';

/** A body and its compressed forms. */
export class EncodedBody {
  readonly plain: Buffer;
  readonly contentType: string;
  private readonly compressed = new Map<Encoding, Promise<Buffer>>();

  constructor(plain: Buffer, contentType = JSON_TYPE) {
    this.plain = plain;
    this.contentType = contentType;
  }

  /** Compresses once per encoding, also for concurrent calls. */
  compressedWith(encoding: Encoding): Promise<Buffer> {
    const known = this.compressed.get(encoding);
    if (known) return known;
    const compressed = compress(this.plain, encoding);
    this.compressed.set(encoding, compressed);
    return compressed;
  }
}

function compress(body: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return toGzip(body, { level: GZIP_LEVEL });
  return toBrotli(body, {
    params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
  });
}

/**
 * The supported encoding that an `Accept-Encoding` header prefers, `br` at equal weights (RFC 9110, section 12.5.3).
 * Null if the body is to be sent uncompressed, as for a header that names no supported encoding.
 */
export function chooseEncoding(header: string | undefined): Encoding | null {
  if (header === undefined) return null;
  let brotli: number | null = null;
  let gzipped: number | null = null;
  let others = 0;
  let identity: number | null = null;
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const weight = weightOf(parameters);
    if (name === 'br') brotli = weight;
    else if (name === 'gzip' || name === 'x-gzip') gzipped = weight;
    else if (name === 'identity') identity = weight;
    else if (name === '*') others = weight;
  }
  const [br, gz] = [brotli ?? others, gzipped ?? others];
  if (Math.max(br, gz) === 0 || (identity !== null && identity > Math.max(br, gz))) return null;
  return br >= gz ? 'br' : 'gzip';
}

function weightOf(parameters: readonly string[]): number {
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  if (quality === undefined) return 1;
  const weight = Number(quality.slice(2));
  return weight >= 0 && weight <= 1 ? weight : 0;
}
