import { type DestinationStream, destination, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';

/** Secrets in any text and what stands in their place: kept out of logs wherever they turn up, messages of errors included. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/plx_(live|test)_[0-9a-f-]{36}\.[\w-]+/gi, 'plx_$1_[redacted]'],
  [/whsec_[A-Za-z0-9+/=_-]+/g, 'whsec_[redacted]'],
  [/plx_session=[\w-]+/g, 'plx_session=[redacted]'],
  [/\b(bearer|basic)(\s+)(?!plx_)[\w.~+/=-]{8,}/gi, '$1$2[redacted]'],
  // As https://user:password@host; the name is a secret where it stands alone, as in addresses of RPC nodes.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"'\\]+@/gi, '$1[redacted]@'],
];

/** Headers that hold a secret, wherever headers are logged. */
const HEADERS = ['authorization', 'cookie', 'set-cookie', 'x-parallax-csrf'];

/** A line of the log without the secrets in it. */
function withoutSecrets(line: string): string {
  return SECRETS.reduce((text, [secret, instead]) => text.replace(secret, instead), line);
}

/** Structured logs: a JSON line each, on standard error unless told otherwise. Secrets in them are blotted out. */
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
      hooks: { streamWrite: withoutSecrets },
    },
    stream ?? destination({ dest: 2, sync: false }),
  );
}
