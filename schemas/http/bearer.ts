/** RFC 6750: the scheme in any case, spaces, and a token of printable ASCII without blanks. */
const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

/** The token of an `Authorization` header; null if the header has none. */
export function parseBearer(authorization: string): string | null {
  return BEARER.exec(authorization)?.[1] ?? null;
}
