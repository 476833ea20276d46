/** Writes what the compose files need beside them: `.env` from its example, and fresh secrets. Existing files stay. */
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { SettingError } from '../../../config/declare.ts';
import { formatToken, mintToken } from '../../../control/token.ts';

/** Used instead of root, as whom no container runs. */
const UID_OF_ROOT = 1000;
const SECRET_BYTES = 32;
const CLUSTER_ID_BYTES = 16;
/** Containers mount these folders, and run as other users than the owner of the files. */
const MOUNTED_FOLDERS = ['edge', 'observability'];

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The user as whom the containers read the secrets: the caller, or another one for root. */
export function ownerOf({ uid, gid }: Owner): Owner {
  return uid === 0 ? { uid: UID_OF_ROOT, gid: UID_OF_ROOT } : { uid, gid };
}

/** The value of a variable of `.env` as compose sees it: an exported one wins. Undefined if there is none. */
export function effectiveValue(folder: string, name: string): string | undefined {
  return process.env[name] ?? storedValue(folder, name);
}

/**
 * Reads how many brokers the stack was created with; null before that. Another number would not fit the volumes, so it
 * is stored in `.env`.
 */
export function brokersOf(folder: string): number | null {
  const brokers = storedValue(folder, 'PARALLAX_BROKERS');
  return brokers === undefined ? null : Number(brokers);
}

function storedValue(folder: string, name: string): string | undefined {
  const path = join(folder, '.env');
  if (!existsSync(path)) return undefined;
  return new RegExp(`^${name}=(.*)$`, 'm').exec(readFileSync(path, 'utf8'))?.[1];
}

/**
 * Also lets every user read the folders that containers mount.
 *
 * @param folder contains `.env.example`; the secrets are written to a folder below it, readable for their owner only.
 * @param caller the user that runs the command.
 * @param brokers how many brokers a new stack has.
 */
export function writeStackFiles(folder: string, caller: Owner, brokers: number): void {
  const owner = ownerOf(caller);
  const write = (path: string, text: string) => {
    writeFileSync(path, text, { mode: 0o600 });
    if (caller.uid === 0) chownSync(path, owner.uid, owner.gid);
  };
  const environment = join(folder, '.env');
  if (!existsSync(environment)) {
    const example = readFileSync(join(folder, '.env.example'), 'utf8');
    const clusterId = clusterIdOf(randomBytes(CLUSTER_ID_BYTES));
    const values = { PARALLAX_UID: owner.uid, PARALLAX_GID: owner.gid, KAFKA_CLUSTER_ID: clusterId };
    write(environment, environmentFor(example, { ...values, PARALLAX_BROKERS: brokers }));
  }
  const secrets = join(folder, 'secrets');
  mkdirSync(secrets, { recursive: true, mode: 0o700 });
  const secretOf = (name: string, create: () => string): string => {
    const path = join(secrets, name);
    if (!existsSync(path)) write(path, create());
    // Docker makes a folder of a file that a container mounts and that is missing.
    if (statSync(path).isDirectory())
      throw new SettingError(`${path} is a folder instead of a file; remove it with rmdir, and run the command again`);
    return readFileSync(path, 'utf8');
  };
  const password = () => randomBytes(SECRET_BYTES).toString('base64url');
  secretOf('admin_token', () => formatToken(mintToken()));
  secretOf('grafana_password', password);
  const storePassword = secretOf('clickhouse_password', password);
  // The password may be another one than when the file was written.
  const users = clickhouseUsers(storePassword.trim());
  if (secretOf('clickhouse_users.xml', () => users) !== users) write(join(secrets, 'clickhouse_users.xml'), users);
  for (const name of MOUNTED_FOLDERS) makeReadable(join(folder, name));
}

/** Lets every user read a file or folder, and all that is in it. A checkout with a strict umask does not. */
function makeReadable(path: string): void {
  const stats = statSync(path);
  const wanted = stats.mode | (stats.isDirectory() ? 0o555 : 0o444);
  if (wanted !== stats.mode) chmodSync(path, wanted & 0o7777);
  if (stats.isDirectory()) for (const name of readdirSync(path)) makeReadable(join(path, name));
}

/** Id of a Kafka cluster. Kafka's tools would read one that begins with `-` as an option, so the first bit is cleared. */
export function clusterIdOf(random: Uint8Array): string {
  const [first = 0, ...rest] = random;
  return Buffer.from([first & 0x7f, ...rest]).toString('base64url');
}

/** Adds the webhook receiver to the stack: its profile, and the permission to send to it. */
export function addDemo(folder: string): void {
  const path = join(folder, '.env');
  const values = { COMPOSE_PROFILES: 'demo', PARALLAX_WEBHOOK_ALLOW_LOOPBACK: 1 };
  writeFileSync(path, environmentFor(readFileSync(path, 'utf8'), values));
}

/** The text of `.env` with these values; a variable that it lacks is added. */
export function environmentFor(example: string, values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values).reduce((text, [name, value]) => {
    const line = new RegExp(`^${name}=.*$`, 'm');
    return line.test(text) ? text.replace(line, `${name}=${value}`) : `${text}${name}=${value}\n`;
  }, example);
}

/** Users of ClickHouse: `parallax` with this password, and no other. */
function clickhouseUsers(password: string): string {
  const hash = createHash('sha256').update(password).digest('hex');
  return `<clickhouse>
  <users>
    <default remove="remove"/>
    <parallax>
      <password_sha256_hex>${hash}</password_sha256_hex>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
    </parallax>
  </users>
</clickhouse>
`;
}
