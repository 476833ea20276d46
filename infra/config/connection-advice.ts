/** Which setting to check when the first connection to Kafka or to a ClickHouse server fails. */

/** Parts of messages, with what to check. The first one that fits counts. */
type Advice = readonly (readonly [pattern: RegExp, advice: string])[];

/**
 * For the messages of Node's TLS about a certificate.
 *
 * @param address where the host is set.
 * @param authority what must name the authority.
 */
function certificateAdvice(server: string, address: string, authority: string): Advice {
  return [
    [
      /altnames/,
      `the certificate of the ${server} is for other hosts; check the host in ${address}, or the names in the certificate`,
    ],
    [/certificate has expired/, `renew the certificate of the ${server}`],
    [/certificate is not yet valid/, `check the certificate of the ${server}, and the clock of this machine`],
    [
      /certificate/,
      `${authority} must be the path of the certificate of the authority that signed the ${server}'s certificate`,
    ],
  ];
}

/** For the messages of kafkajs, Node's TLS and brokers. */
export const KAFKA_ADVICE: Advice = [
  [/authentication failed/i, 'check PARALLAX_KAFKA_USERNAME, PARALLAX_KAFKA_PASSWORD and PARALLAX_KAFKA_SASL'],
  [/current SASL state/, 'the broker does not authenticate clients; leave PARALLAX_KAFKA_SASL at none'],
  [/before secure TLS|wrong version number/, 'the broker does not speak TLS on this port; check PARALLAX_KAFKA_TLS'],
  ...certificateAdvice('broker', '--log and the listeners that the broker advertises', 'PARALLAX_KAFKA_TLS'),
  [/Closed connection/, 'if the broker expects TLS or a user, set PARALLAX_KAFKA_TLS and PARALLAX_KAFKA_SASL'],
];

/** For the messages of a ClickHouse server, of Node and of its TLS. */
export const STORE_ADVICE: Advice = [
  [/^code (192|193|194|516):/, 'check the user in --store, and PARALLAX_STORE_PASSWORD or the password in --store'],
  [/^code 701:/, 'check PARALLAX_STORE_CLUSTER'],
  [/wrong version number|EPROTO/, 'the server does not speak TLS on this port; check --store'],
  ...certificateAdvice('server', '--store', 'NODE_EXTRA_CA_CERTS'),
  [/socket hang up|ECONNRESET/, 'if the server expects TLS, --store must begin with https://'],
  [/ECONNREFUSED|ENOTFOUND|EAI_AGAIN/, 'check the host and the port in --store'],
];

/** The message with the advice for it; unchanged if there is none. */
export function withAdvice(message: string, advice: Advice): string {
  const found = advice.find(([pattern]) => pattern.test(message))?.[1];
  return found ? `${message}; ${found}` : message;
}
