import { randomBytes, randomUUID } from 'node:crypto';

/** `plx_live_<uuid>.<32 bytes as base64url>`; `plx_test_…` is a sandbox key (specification, API key). */
const TOKEN = /^plx_(live|test)_([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.([\w-]{43})$/;

export interface Token {
  readonly keyId: string;
  readonly secret: string;
  readonly sandbox: boolean;
}

/** Parses a token; null for text that cannot be a token, which needs no lookup of a key. */
export function parseToken(text: string): Token | null {
  const parts = TOKEN.exec(text);
  return parts && { sandbox: parts[1] === 'test', keyId: parts[2]!, secret: parts[3]! };
}

export function formatToken({ keyId, secret, sandbox }: Token): string {
  return `plx_${sandbox ? 'test' : 'live'}_${keyId}.${secret}`;
}

export function mintToken(sandbox = false): Token {
  return { keyId: randomUUID(), secret: randomBytes(32).toString('base64url'), sandbox };
}
