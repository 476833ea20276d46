/** Looks for secrets in gathered logs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What no log may hold, by what it is called. Written apart from what the logger blots out, so that one checks the other. */
const SECRETS: readonly (readonly [string, RegExp])[] = [
  ['a token', /plx_(live|test)_[0-9a-f-]{36}\.[\w-]{8,}/i],
  ['a signing secret', /whsec_[A-Za-z0-9+/=_-]{8,}/],
  ['a session cookie', /plx_session=[\w-]{8,}/],
  ['a bearer header', /\bbearer\s+[\w.~+/=-]{16,}/i],
  ['a header that holds a secret', /"(authorization|cookie|set-cookie|x-parallax-csrf)"\s*:/i],
  ['credentials in a URL', /\b[a-z]+:\/\/[^\s/:@"'\\]*:[^\s/@"'\\]+@/i],
  // As long as 32 bytes in base64url are: a token's secret or a cookie without its name.
  ['a bare secret', /(?<![\w-])(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])/],
];
/** The one place that tells a secret: the admin key that the first start makes, on standard output. */
const ADMIN_KEY_LINE = /^Admin key {2}plx_live_\S+ \(shown once; keep it\)$/;
const IS_OUTPUT = /-out\.\d+\.log$/;

/** Where a secret was found; the secret itself is not told again. */
export interface Finding {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly what: string;
}

export interface Scanned {
  readonly findings: readonly Finding[];
  /** Lines that were looked at, by their source: `logger` for loggers inside of tests, else the name of what was started. */
  readonly lines: Readonly<Record<string, number>>;
}

/** Looks through every file of a folder of gathered logs. */
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

/** What is wrong with the logs of a run, a line each; `wanted` are sources that must have logged something. */
export function faultsOf({ findings, lines }: Scanned, wanted: readonly string[]): string[] {
  const silent = wanted.filter((source) => !lines[source]);
  return [
    ...findings.map(({ file, line, what }) => `${file}:${line}: ${what} in a log`),
    ...silent.map((source) => `no line was gathered of ${source}: secrets in its logs would go unseen`),
  ];
}
