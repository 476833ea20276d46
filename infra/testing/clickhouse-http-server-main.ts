/**
 * Runs the test server as a process: `node infra/testing/run-ts.mjs infra/testing/clickhouse-http-server-main.ts <data
 * directory> [port] [username] [password]`. Prints its URL in one line; exits on SIGTERM or SIGINT.
 */
import { startClickhouseHttpServer } from './clickhouse-http-server.ts';

const [path, port = '0', username = 'default', password = ''] = process.argv.slice(3);
if (!path) throw new Error('usage: clickhouse-http-server-main.ts <data directory> [port] [username] [password]');
const server = await startClickhouseHttpServer({ path, port: Number(port), username, password });
process.stdout.write(`${server.url}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void server.close().then(() => process.exit(0)));
}
