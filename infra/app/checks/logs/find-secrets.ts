/** Searches collected logs for secrets. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Patterns of secrets with their names. Independent of the logger's redaction, so that each checks the other. */
const SECRETS: readonly (readonly [string, RegExp])[] = [
  ['a token', /plx_(live|test)_[0-9a-f-]{36}\.[\w-]{8,}/i],
  ['a signing secret', /whsec_[A-Za-z0-9+/=_-]{8,}/],
  ['a session cookie', /plx_session=[\w-]{8,}/],
  ['a bearer header', /\bbearer\s+[\w.~+/=-]{16,}/i],
  ['a header that holds a secret', /"(authorization|cookie|set-cookie|x-parallax-csrf|sec-websocket-protocol)"\s*:/i],
  ['credentials in a URL', /\b[a-z]+:\/\/[^\s/:@"'\\]*:[^\s/@"'\\]+@/i],
  // The length of 32 bytes in base64url: a token's secret, or a cookie without its name. The signature of a delivery is
  // sent and stored, and no secret.
  ['a bare secret', /(?<![\w-]|\bv1,)(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])/],
];
/** The only line that may hold a secret: the generated admin key, which the first start prints on standard output. */
const ADMIN_KEY_LINE = /^Admin key {2}plx_live_\S+ \(shown once; keep it\)$/;
const IS_OUTPUT = /-out\.\d+\.log$/;

/** Where a secret was found. It does not repeat the secret. */
export interface Finding {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly what: string;
}

export interface Scanned {
  readonly findings: readonly Finding[];
  /** Number of searched lines per source: `logger` for loggers in tests, else the name of the process. */
  readonly lines: Readonly<Record<string, number>>;
}

/** Searches every file of a folder of collected logs. */
export function findSecrets(folder: string): Scanned {
  const findings: Finding[] = [];
  const lines: Record<string, number> = {};
  for (const name of readdirSync(folder).sort()) {
    const file = join(folder, name);
    const source = /^[a-z]+/.exec(name)?.[0] ?? name;
    const texts = readFileSync(file, 'utf8').split('\n');
    for (const [at, text] of texts.entries()) {
      if (text === '') continue;
      lines[source] = (lines[source] ?? 0) + 1;
      if (IS_OUTPUT.test(name) && ADMIN_KEY_LINE.test(text)) continue;
      for (const [what, pattern] of SECRETS) if (pattern.test(text)) findings.push({ file, line: at + 1, what });
    }
  }
  return { findings, lines };
}

/**
 * Describes each fault in one line.
 *
 * @param wanted sources that must have logged something.
 */
export function faultsOf({ findings, lines }: Scanned, wanted: readonly string[]): string[] {
  const silent = wanted.filter((source) => !lines[source]);
  return [
    ...findings.map(({ file, line, what }) => `${file}:${line}: ${what} in a log`),
    ...silent.map((source) => `no log line was collected from ${source}: secrets in its logs would be missed`),
  ];
}
