import { type DestinationStream, destination, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { terminal } from './terminal.ts';

/**
 * Patterns of secrets in any text and their replacements, which keep secrets out of log lines, including error
 * messages.
 */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/plx_(live|test)_[0-9a-f-]{36}\.[\w-]+/gi, 'plx_$1_[redacted]'],
  [/whsec_[A-Za-z0-9+/=_-]+/g, 'whsec_[redacted]'],
  [/plx_session=[\w-]+/g, 'plx_session=[redacted]'],
  // The subprotocol that an upgrade with a session has.
  [/\bcsrf\.[\w-]{8,}/g, 'csrf.[redacted]'],
  [/\b(bearer|basic)(\s+)(?!plx_)[\w.~+/=-]{8,}/gi, '$1$2[redacted]'],
  // Credentials as in https://user:password@host; a user name alone is a secret too, as in URLs of RPC nodes.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"'\\]+@/gi, '$1[redacted]@'],
];

/** Headers that hold a secret, redacted wherever headers are logged. */
const HEADERS = ['authorization', 'cookie', 'set-cookie', 'x-parallax-csrf', 'sec-websocket-protocol'];

/** Replaces the secrets in a log line. */
function redactSecrets(line: string): string {
  return SECRETS.reduce((text, [secret, replacement]) => text.replace(secret, replacement), line);
}

/**
 * Creates a logger, on standard error by default: JSON lines, or lines for people on a terminal. Secrets in them are
 * redacted.
 */
export function createLogger(level: string, stream?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { error: stdSerializers.err },
      redact: {
        paths: [
          'token',
          'secret',
          '*.token',
          '*.secret',
          ...HEADERS.flatMap((name) => ['headers', '*.headers'].map((where) => `${where}["${name}"]`)),
        ],
        remove: true,
      },
      hooks: { streamWrite: redactSecrets },
    },
    stream ?? terminal ?? destination({ dest: 2, sync: false }),
  );
}
