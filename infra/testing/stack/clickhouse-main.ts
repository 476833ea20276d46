/**
 * The stand-in for a ClickHouse server in a container: `node clickhouse-main.js <data directory> <users file>`. It
 * listens on port 8123, and accepts the user `parallax` with the password whose hash is in the file.
 */
import { readFileSync } from 'node:fs';
import { startClickhouseHttpServer } from '../clickhouse-http-server.ts';

const [path, usersFile] = process.argv.slice(2);
if (!path || !usersFile) throw new Error('usage: clickhouse-main.js <data directory> <users file>');
const [, passwordHash] = /<password_sha256_hex>(\w+)</.exec(readFileSync(usersFile, 'utf8')) ?? [];
if (!passwordHash) throw new Error(`${usersFile} has no password_sha256_hex`);
const server = await startClickhouseHttpServer({
  path,
  port: 8123,
  host: '0.0.0.0',
  username: 'parallax',
  passwordHash,
});
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void server.close().then(() => process.exit(0)));
