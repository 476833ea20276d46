/**
 * Serves the part of ClickHouse's HTTP interface that `@clickhouse/client` uses, on top of chDB. Tests can so run the
 * client's own transport against the real engine without an installed server. Not for production: one process, one
 * user.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createGunzip, gzipSync } from 'node:zlib';
import { drainPending, Session } from 'chdb';
import { quoted, replacePlaceholders } from '../store/bind-parameters.ts';

export interface ClickhouseHttpServerOptions {
  /** Data directory of the engine. */
  readonly path: string;
  /** 0 chooses a free one. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  readonly username?: string;
  readonly password?: string;
  /** SHA-256 of the password in hex digits, instead of it. */
  readonly passwordHash?: string;
  /** Serves TLS with this key and certificate (PEM) instead of plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/**
 * Name of the cluster that the server is: one shard without Keeper. chDB's `Distributed` tables work on it; statements
 * `ON CLUSTER` are parsed, and run on this server alone; tables are not replicated.
 */
export const TEST_CLUSTER = 'test_cluster';

/** The engine runs what is for its own address in the process, and listens nowhere. */
const CLUSTER_CONFIG = `<clickhouse>
  <tcp_port>9000</tcp_port>
  <remote_servers replace="true">
    <${TEST_CLUSTER}><shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard></${TEST_CLUSTER}>
  </remote_servers>
</clickhouse>
`;

/**
 * Response that the server sends instead of querying the engine: an engine error, a bare status, none, or success for
 * statements that it does not run.
 */
export type Fault =
  | { readonly kind: 'exception'; readonly code: number; readonly name: string; readonly message: string }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'silence' }
  | { readonly kind: 'loses'; readonly statements: RegExp };

export interface ClickhouseHttpServer {
  /** `http://127.0.0.1:<port>`, or `https://…` with TLS. */
  readonly url: string;
  readonly port: number;
  /** Number of requests, without pings. */
  requests(): number;
  /** Makes every request fail until called with null. */
  fail(fault: Fault | null): void;
  close(): Promise<void>;
}

/** Engine error codes with a status other than 500. */
const STATUS_BY_CODE: Readonly<Record<number, number>> = {
  26: 400, // CANNOT_PARSE_QUOTED_STRING
  27: 400, // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  47: 404, // UNKNOWN_IDENTIFIER
  60: 404, // UNKNOWN_TABLE
  62: 400, // SYNTAX_ERROR
  81: 404, // UNKNOWN_DATABASE
  117: 400, // INCORRECT_DATA
  159: 408, // TIMEOUT_EXCEEDED
  194: 401, // REQUIRED_PASSWORD
  456: 400, // UNKNOWN_QUERY_PARAMETER
  516: 403, // AUTHENTICATION_FAILED
};
/** URL parameters that are not settings of the engine. */
const NOT_SETTINGS = new Set([
  'user',
  'password',
  'query',
  'query_id',
  'session_id',
  'database',
  'default_format',
  'wait_end_of_query',
  'enable_http_compression',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
]);

/** An engine error with its code and the engine's own message. */
class EngineException extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Starts the server. It is listening when this resolves. */
export async function startClickhouseHttpServer(options: ClickhouseHttpServerOptions): Promise<ClickhouseHttpServer> {
  const engine = new SessionCache(options.path);
  let fault: Fault | null = null;
  let requests = 0;
  const listener: RequestListener = (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname === '/ping') return void response.end('Ok.\n');
    requests += 1;
    answer(request, response, url, { options, engine, fault }).catch((error: Error) => response.destroy(error));
  };
  // Parameters of a statement are in the URL, of which ClickHouse accepts 1 MiB.
  const limits = { maxHeaderSize: 2 ** 20 };
  const server = options.tls
    ? createTlsServer({ ...limits, ...options.tls }, listener)
    : createServer(limits, listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests: () => requests,
    fail: (next) => {
      fault = next;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await engine.close();
    },
  };
}

interface Serving {
  readonly options: ClickhouseHttpServerOptions;
  readonly engine: SessionCache;
  readonly fault: Fault | null;
}

async function answer(request: IncomingMessage, response: ServerResponse, url: URL, serving: Serving): Promise<void> {
  const { options, engine, fault } = serving;
  const body = await text(request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request);
  if (fault?.kind === 'silence') return;
  if (fault?.kind === 'status') return void response.writeHead(fault.status).end('upstream says no\n');
  response.setHeader('X-ClickHouse-Query-Id', url.searchParams.get('query_id') ?? '');
  response.setHeader('X-ClickHouse-Server-Display-Name', 'test');
  response.setHeader('X-ClickHouse-Timezone', 'UTC');
  try {
    if (fault?.kind === 'exception')
      throw new EngineException(fault.code, `Code: ${fault.code}. DB::Exception: ${fault.message} (${fault.name})`);
    checkCredentials(request, url, options);
    const statement = [url.searchParams.get('query') ?? '', body].join('\n');
    const isLost = fault?.kind === 'loses' && fault.statements.test(statement);
    const result = isLost ? Buffer.alloc(0) : await run(engine, url, body);
    response.setHeader('X-ClickHouse-Format', 'JSONEachRow');
    response.setHeader('X-ClickHouse-Summary', JSON.stringify({ read_rows: '0', written_rows: '0', elapsed_ns: '0' }));
    send(request, response, url, 200, result);
  } catch (error) {
    if (!(error instanceof EngineException)) throw error;
    response.setHeader('X-ClickHouse-Exception-Code', String(error.code));
    send(request, response, url, STATUS_BY_CODE[error.code] ?? 500, Buffer.from(`${error.message}\n`));
  }
}

function send(request: IncomingMessage, response: ServerResponse, url: URL, status: number, bytes: Uint8Array): void {
  const wanted = url.searchParams.get('enable_http_compression') === '1';
  const zipped = wanted && /\bgzip\b/.test(String(request.headers['accept-encoding']));
  if (zipped) response.setHeader('Content-Encoding', 'gzip');
  response.writeHead(status).end(zipped ? gzipSync(bytes) : bytes);
}

function checkCredentials(request: IncomingMessage, url: URL, options: ClickhouseHttpServerOptions): void {
  const { username = 'default', password = '', passwordHash = sha256(password) } = options;
  const [scheme, basic] = (request.headers.authorization ?? '').split(' ');
  const [basicUser, basicPassword] =
    scheme === 'Basic'
      ? Buffer.from(basic ?? '', 'base64')
          .toString()
          .split(/:(.*)/s)
      : [];
  const user = basicUser ?? request.headers['x-clickhouse-user'] ?? url.searchParams.get('user') ?? 'default';
  const key = basicPassword ?? request.headers['x-clickhouse-key'] ?? url.searchParams.get('password') ?? '';
  if (user !== username || sha256(key) !== passwordHash)
    throw new EngineException(
      516,
      `Code: 516. DB::Exception: ${String(user)}: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)`,
    );
}

function sha256(text: string | readonly string[]): string {
  return createHash('sha256').update(String(text)).digest('hex');
}

/** Runs the statement, which is the URL's query followed by the body, with the settings of the URL. */
async function run(engine: SessionCache, url: URL, body: string): Promise<Uint8Array> {
  const prefix = url.searchParams.get('query');
  const statement = bindUrlParameters(prefix === null ? body : `${prefix}\n${body}`, prefix, url.searchParams);
  const settings = [...url.searchParams].filter(([name]) => !NOT_SETTINGS.has(name) && !name.startsWith('param_'));
  const database = url.searchParams.get('database') ?? 'default';
  try {
    const session = await engine.session(database, settings);
    const result = (
      await session.queryAsync(await withoutCluster(session, statement), { format: 'TabSeparated' })
    ).bytes();
    const dropped = /^\s*DROP DATABASE (?:IF EXISTS )?`?(\w+)/i.exec(statement)?.[1];
    if (dropped !== undefined) await engine.forget(dropped);
    return result;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const code = /Code: (\d+)\. DB::Exception/.exec(message)?.[1];
    throw code === undefined ? error : new EngineException(Number(code), message);
  }
}

/** What a statement for a cluster does on its only server. */
async function withoutCluster(session: Session, statement: string): Promise<string> {
  const cluster = /^\s*(?:CREATE|ALTER|DROP|TRUNCATE|OPTIMIZE)\b[^(]*? ON CLUSTER (\w+)/.exec(statement)?.[1];
  if (cluster === undefined) return statement;
  await session.queryAsync(`SELECT formatQuery(${quoted(statement)})`);
  if (cluster !== TEST_CLUSTER)
    throw new EngineException(
      701,
      `Code: 701. DB::Exception: Requested cluster '${cluster}' not found. (CLUSTER_DOESNT_EXIST)`,
    );
  return statement
    .replace(` ON CLUSTER ${cluster}`, '')
    .replace(/ENGINE = Replicated(\w+)\('[^']*', '\{replica\}'(?:, )?/, 'ENGINE = $1(');
}

/**
 * Replaces placeholders by parameters of the URL. Text parameters are escaped. Data after an INSERT is left unchanged.
 */
function bindUrlParameters(statement: string, prefix: string | null, search: URLSearchParams): string {
  const names = [...search.keys()].filter((name) => name.startsWith('param_'));
  if (prefix !== null && names.length === 0) return statement;
  return replacePlaceholders(statement, (name, type) => {
    const value = search.get(`param_${name}`);
    if (value === null)
      throw new EngineException(
        456,
        `Code: 456. DB::Exception: Substitution \`${name}\` is not set. (UNKNOWN_QUERY_PARAMETER)`,
      );
    if (value === '\\N') return `_CAST(NULL, ${quoted(type)})`;
    return `_CAST(${quoted(value.startsWith('[') ? value : unescapeText(value))}, ${quoted(type)})`;
  });
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '0': '\0' };

function unescapeText(value: string): string {
  return value.replace(/\\([\s\S])/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
}

/** Caches one session for each combination of database and settings, since these are state of a session. */
class SessionCache {
  private readonly path: string;
  /** Starts the engine, with its configuration; the other sessions find it running. */
  private readonly first: Session;
  private readonly sessions = new Map<string, Promise<Session>>();

  constructor(path: string) {
    this.path = path;
    mkdirSync(path, { recursive: true });
    const config = join(path, 'cluster.xml');
    writeFileSync(config, CLUSTER_CONFIG);
    this.first = new Session(path, { connectionArgs: [`--config-file=${config}`] });
  }

  session(database: string, settings: readonly (readonly [string, string])[]): Promise<Session> {
    const key = JSON.stringify([database, [...settings].sort()]);
    const known = this.sessions.get(key);
    if (known) return known;
    const opened = this.open(database, settings);
    this.sessions.set(key, opened);
    // A missing database or an invalid setting must not stay cached.
    opened.catch(() => this.sessions.delete(key));
    return opened;
  }

  /** Closes the sessions of a database that was dropped: they would not find one that is created with its name later. */
  async forget(database: string): Promise<void> {
    for (const [key, opened] of [...this.sessions]) {
      if (!key.startsWith(JSON.stringify([database]).slice(0, -1))) continue;
      this.sessions.delete(key);
      (await opened).close();
    }
  }

  async close(): Promise<void> {
    await drainPending();
    for (const opened of this.sessions.values()) (await opened).close();
    this.sessions.clear();
    this.first.close();
    await drainPending();
  }

  private async open(database: string, settings: readonly (readonly [string, string])[]): Promise<Session> {
    const session = new Session(this.path);
    try {
      for (const [name, value] of settings) await session.queryAsync(`SET ${name} = ${quoted(value)}`);
      await session.queryAsync(`USE \`${database}\``);
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }
}
