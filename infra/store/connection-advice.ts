/** Which setting to check when the first connection to a ClickHouse server fails. */
import { StoreError } from './store.ts';

/** Parts of the messages of the server, of Node and of its TLS. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^code (192|193|194|516):/, 'check the user in --store, and PARALLAX_STORE_PASSWORD or the password in --store'],
  [/^code 701:/, 'check PARALLAX_STORE_CLUSTER'],
  [/wrong version number|EPROTO/, 'the server does not speak TLS on this port; check --store'],
  [
    /certificate|altnames/i,
    "NODE_EXTRA_CA_CERTS must be the path of the certificate of the authority that signed the server's certificate",
  ],
  [/socket hang up|ECONNRESET/, 'if the server expects TLS, --store must begin with https://'],
  [/ECONNREFUSED|ENOTFOUND|EAI_AGAIN/, 'check the host and the port in --store'],
];

/** Adds the advice to the message of an error; errors without advice stay as they are. */
export function withAdvice(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  const advice = ADVICE.find(([pattern]) => pattern.test(error.message))?.[1];
  return advice ? new StoreError(error.code, `${error.message}; ${advice}`) : error;
}
