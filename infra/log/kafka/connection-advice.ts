/** Which setting to check when the first connection to Kafka fails. */
import { LogError } from '../log.ts';

/** Parts of the messages of kafkajs, Node's TLS and brokers. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/authentication failed/i, 'check PARALLAX_KAFKA_USERNAME, PARALLAX_KAFKA_PASSWORD and PARALLAX_KAFKA_SASL'],
  [/current SASL state/, 'the broker does not authenticate clients; leave PARALLAX_KAFKA_SASL at none'],
  [/before secure TLS|wrong version number/, 'the broker does not speak TLS on this port; check PARALLAX_KAFKA_TLS'],
  [
    /certificate|altnames/,
    "PARALLAX_KAFKA_TLS must be the path of the certificate of the authority that signed the broker's certificate",
  ],
  [/Closed connection/, 'if the broker expects TLS or a user, set PARALLAX_KAFKA_TLS and PARALLAX_KAFKA_SASL'],
];

/** Adds the advice to the message of an error; errors without advice stay as they are. */
export function withAdvice(error: unknown): unknown {
  if (!(error instanceof LogError)) return error;
  const advice = ADVICE.find(([pattern]) => pattern.test(error.message))?.[1];
  return advice ? new LogError(error.code, `${error.message}; ${advice}`, { cause: error }) : error;
}
