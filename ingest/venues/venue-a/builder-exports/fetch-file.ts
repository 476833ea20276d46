import { UpstreamError } from '../../../feed/errors.ts';
import type { HttpClient } from '../../../feed/http-client.ts';

/** The response of the host: a file, that it did not change, or that there is none. */
export type FetchedFile =
  | { readonly kind: 'file'; readonly file: Buffer; readonly etag: string | null }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'missing' };

/** Longer tags are not stored. */
const ETAG_LENGTH_MAX = 256;

/**
 * Requests a file, unless it still has the tag. Rejects with an `UpstreamError` for any status but 200, 304 and 403, and
 * with the signal's reason.
 */
export async function fetchFile(
  http: HttpClient,
  url: string,
  etag: string | null,
  signal: AbortSignal,
): Promise<FetchedFile> {
  let received: string | null = null;
  const headers: Record<string, string> = etag === null ? {} : { 'if-none-match': etag };
  try {
    const onResponse = (response: Response) => {
      received = response.headers.get('etag');
    };
    const file = await http.send({ url, headers, weight: 1, onResponse, signal });
    return { kind: 'file', file, etag: isTag(received) ? received : null };
  } catch (error) {
    const status = error instanceof UpstreamError ? error.status : null;
    if (status === 304) return { kind: 'unchanged' };
    // The host answers so for missing files (venue page, section 9).
    if (status === 403) return { kind: 'missing' };
    throw error;
  }
}

const isTag = (etag: string | null): etag is string => etag !== null && etag !== '' && etag.length <= ETAG_LENGTH_MAX;
