import { destination, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';

/** Tokens in any text: kept out of logs wherever they turn up, query strings included. */
const TOKEN = /plx_(live|test)_[0-9a-f-]{36}\.[\w-]{20,}/g;

/** Structured logs: a JSON line each on standard error. */
export function createLogger(level: string): Logger {
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
          'req.headers.authorization',
          'headers.authorization',
          'req.headers.cookie',
        ],
        remove: true,
      },
      hooks: { streamWrite: (line) => line.replace(TOKEN, 'plx_$1_[redacted]') },
    },
    destination({ dest: 2, sync: false }),
  );
}
