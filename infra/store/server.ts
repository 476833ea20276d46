/** The store on a ClickHouse server, over HTTP with `@clickhouse/client`. */

import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { createDatabase } from '#schemas/tables/cluster-statements';
import { STORE_ADVICE, withAdvice } from '../config/connection-advice.ts';
import { decodeUrl, parseUrl } from '../runtime/parse-url.ts';
import { encodeRows, SENDS_SLICES } from './encode-rows.ts';
import { type Parameter, type Row, type Store, StoreError } from './store.ts';
import {
  CLUSTER_SETTINGS,
  engineTimeLimit,
  isIdentifier,
  STORE_SETTINGS,
  STORE_TIMEOUTS,
  type StoreTimeouts,
} from './store-settings.ts';
import { toStoreError } from './to-store-error.ts';

/** Open connections to the server; further calls wait in the client. */
const CONNECTIONS_MAX = 16;
const DATABASE_DEFAULT = 'parallax';

/** The URL and the credentials of a server. The password never leaves this object. */
export interface ServerConnection {
  /** Scheme, host and port, without credentials. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
}

/**
 * Parses `http(s)://user:pass@host:port/database`; the database is `parallax` if the URL names none. Throws
 * `store_misconfigured`, without repeating the text.
 */
export function parseServerUrl(setting: string): ServerConnection {
  const url = parseUrl(setting);
  const decoded = url && decodeUrl(url);
  if (!url || !decoded || !/^https?:$/.test(url.protocol))
    throw new StoreError(
      'store_misconfigured',
      'the store is not configured as http(s)://user:pass@host:port/database (a percent sign in a password is written %25)',
    );
  const database = decoded.path.slice(1) || DATABASE_DEFAULT;
  if (!isIdentifier(database))
    throw new StoreError('store_misconfigured', "the path of the store's URL is not a database name");
  return {
    url: url.origin,
    username: decoded.username || 'default',
    password: decoded.password,
    database,
  };
}

export interface ServerStoreOptions extends ServerConnection {
  readonly timeouts?: StoreTimeouts;
  /** Name of the cluster that holds the tables; null for a single server. */
  readonly cluster?: string | null;
}

/**
 * Connects to the server; the database is created if missing, on a cluster on all of its servers. Rejects with
 * `store_unavailable` or `store_misconfigured`; the message says which setting to check.
 */
export async function openServerStore(options: ServerStoreOptions): Promise<Store> {
  const server = new Server(options);
  try {
    return await server.database(options.database);
  } catch (error) {
    await server.close();
    if (!(error instanceof StoreError)) throw error;
    throw new StoreError(error.code, withAdvice(error.message, STORE_ADVICE), { cause: error });
  }
}

/** The clients of one server, one for each database in use. */
class Server {
  readonly timeouts: StoreTimeouts;
  readonly secrets: readonly string[];
  readonly cluster: string | null;
  readonly running = new Set<Promise<unknown>>();
  closed = false;
  private readonly options: ServerStoreOptions;
  private readonly clients: ClickHouseClient[] = [];

  constructor(options: ServerStoreOptions) {
    this.options = options;
    this.timeouts = options.timeouts ?? STORE_TIMEOUTS;
    this.cluster = options.cluster ?? null;
    this.secrets = [options.password, encodeURIComponent(options.password)];
  }

  async database(database: string): Promise<Store> {
    if (!isIdentifier(database)) throw new StoreError('store_rejected', `not a database name: ${database}`);
    const store = new ServerStore(this, database, this.client(database));
    // One server of a cluster does not know which databases the others have.
    if (this.cluster !== null || (await this.isMissing(store))) {
      const bootstrap = new ServerStore(this, 'default', this.client('default'));
      await bootstrap.command(createDatabase(database, this.cluster));
      await store.query('SELECT 1');
    }
    return store;
  }

  /** A user without rights on `default` can still use a database that an operator created, so it is tried first. */
  private async isMissing(store: Store): Promise<boolean> {
    try {
      await store.query('SELECT 1');
      return false;
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'store_misconfigured') throw error;
      return true;
    }
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await Promise.allSettled(this.running);
    for (const client of this.clients) await client.close();
  }

  private client(database: string): ClickHouseClient {
    const { url, username, password } = this.options;
    const { queryMs, insertMs, commandMs, graceMs } = this.timeouts;
    const client = createClient({
      url,
      username,
      password,
      database,
      application: 'parallax',
      // Callers log the errors in the service's own format.
      log: { level: ClickHouseLogLevel.OFF },
      json: SENDS_SLICES,
      max_open_connections: CONNECTIONS_MAX,
      // The last limit, for an answer that never comes; shorter limits apply to each call.
      request_timeout: Math.max(queryMs, insertMs, commandMs) + 2 * graceMs,
      compression: { request: true, response: true },
      // A response is sent when it is complete: an error after the first rows is returned as an error.
      clickhouse_settings: {
        ...STORE_SETTINGS,
        ...(this.cluster === null ? {} : CLUSTER_SETTINGS),
        wait_end_of_query: 1,
      },
    });
    this.clients.push(client);
    return client;
  }
}

class ServerStore implements Store {
  readonly database: string;
  readonly cluster: string | null;
  private readonly server: Server;
  private readonly client: ClickHouseClient;

  constructor(server: Server, database: string, client: ClickHouseClient) {
    this.server = server;
    this.cluster = server.cluster;
    this.database = database;
    this.client = client;
  }

  query<T>(sql: string, parameters: Readonly<Record<string, Parameter>> = {}): Promise<T[]> {
    return this.run(this.server.timeouts.queryMs, async (limits) => {
      const result = await this.client.query({
        query: sql,
        query_params: parameters,
        format: 'JSONEachRow',
        ...limits,
      });
      return result.json<T>();
    });
  }

  async insert(table: string, rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    if (!isIdentifier(table)) throw new StoreError('store_rejected', `not a table name: ${table}`);
    const { columns, slices } = await encodeRows(rows);
    await this.run(this.server.timeouts.insertMs, (limits) =>
      this.client.insert({ table, columns, values: slices, format: 'JSONCompactEachRow', ...limits }),
    );
  }

  async command(sql: string): Promise<void> {
    await this.run(this.server.timeouts.commandMs, (limits) => this.client.command({ query: sql, ...limits }));
  }

  async inDatabase(database: string): Promise<Store> {
    this.refuseWhenClosed();
    return this.server.database(database);
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private async run<T>(timeoutMs: number, work: (limits: CallLimits) => Promise<T>): Promise<T> {
    this.refuseWhenClosed();
    const abort = new AbortController();
    const waitMs = timeoutMs + this.server.timeouts.graceMs;
    const timer = setTimeout(() => abort.abort(), waitMs);
    const call = work({ abort_signal: abort.signal, clickhouse_settings: engineTimeLimit(timeoutMs) });
    this.server.running.add(call);
    try {
      return await call;
    } catch (error) {
      if (abort.signal.aborted)
        throw new StoreError('store_unavailable', `no answer from the store within ${waitMs} ms`);
      throw toStoreError(error, this.server.secrets);
    } finally {
      clearTimeout(timer);
      this.server.running.delete(call);
    }
  }

  private refuseWhenClosed(): void {
    if (this.server.closed) throw new StoreError('store_closed', 'the store was closed');
  }
}

interface CallLimits {
  readonly abort_signal: AbortSignal;
  readonly clickhouse_settings: { readonly max_execution_time: number };
}
