/**
 * Replaces `pino` in tests and in processes that `run-ts.mjs` runs. Every logger, even a silent one, also writes its
 * records from level `debug` on to the collected logs, formatted by its own options.
 */
import { createRequire } from 'node:module';
import type * as Pino from 'pino';
import { gather, isGathering } from './gather.ts';

const real = createRequire(import.meta.url)('pino') as typeof Pino;
export const { destination, multistream, stdSerializers, stdTimeFunctions } = real;

export function pino(options: Pino.LoggerOptions = {}, stream?: Pino.DestinationStream): Pino.Logger {
  const own = stream ?? destination(1);
  if (!isGathering()) return real.pino(options, own);
  const level = options.enabled === false ? 'silent' : (options.level ?? 'info');
  const copy = { write: (line: string) => gather('logger', line) };
  const streams = multistream([
    { level: 'debug', stream: copy },
    { level: level as Pino.Level, stream: own },
  ]);
  // The service's logger has this serializer, too. Without it the messages of errors would not be searched.
  const serializers = { error: stdSerializers.err, ...options.serializers };
  return real.pino({ ...options, serializers, enabled: true, level: 'debug' }, streams);
}
