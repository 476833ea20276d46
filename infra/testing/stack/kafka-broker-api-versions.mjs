// Asks a broker for the versions of its requests, as the command of this name in the official image does: a JVM for each
// health check would cost more than the broker itself. Arguments: --bootstrap-server <host>:<port>.
import { connect } from 'node:net';

const TIMEOUT_MS = 5_000;
const [host, port] = process.argv[3].split(':');
/** ApiVersions (key 18), version 0, with correlation id 1 and no client id, after its length. */
const REQUEST = Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 255, 255]);
/** Length, correlation id and error code of the answer. */
const HEAD_BYTES = 10;

const fail = (reason) => {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
};
let answer = Buffer.alloc(0);
connect(Number(port), host)
  .setTimeout(TIMEOUT_MS, () => fail('no answer in time'))
  .on('connect', function () {
    this.write(REQUEST);
  })
  .on('data', (chunk) => {
    answer = Buffer.concat([answer, chunk]);
    if (answer.length < HEAD_BYTES) return;
    const errorCode = answer.readInt16BE(8);
    if (errorCode === 0) process.exit(0);
    fail(`error code ${errorCode}`);
  })
  .on('error', ({ message }) => fail(message))
  .on('close', () => fail('the broker closed the connection'));
