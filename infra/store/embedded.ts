/** The store inside the process: chDB behind `@clickhouse/client`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type ClickHouseClient,
  type ClickHouseClientConfigOptions,
  ClickHouseLogLevel,
  createClient,
} from '@clickhouse/client';
import { drainPending, Session } from 'chdb';
import { createChdbConnection } from 'chdb/connection';
import { freeBytes } from '../runtime/free-bytes.ts';
import { bindParameters } from './bind-parameters.ts';
import { detachStandardInput } from './detach-standard-input.ts';
import { DiskGuard, ENGINE_CONFIG } from './disk-guard.ts';
import { encodeRows, SENDS_SLICES } from './encode-rows.ts';
import { Semaphore } from './semaphore.ts';
import { type Parameter, type Row, type Store, StoreError } from './store.ts';
import { engineTimeLimit, isIdentifier, STORE_SETTINGS, STORE_TIMEOUTS, type StoreTimeouts } from './store-settings.ts';
import { toStoreError } from './to-store-error.ts';

/**
 * A session runs one call at a time, and a running call uses one of libuv's four threads. One session writes and two
 * read, so that a slow query delays neither inserts nor other queries and a thread stays free for files and names.
 */
const READERS = 2;
const WAITING_MAX = 1_000;
/** In the data directory. */
const CONFIG_FILE = 'engine.xml';

export interface EmbeddedStoreOptions {
  /** The data directory; created if missing. */
  readonly path: string;
  /** The database to use; created if missing. */
  readonly database?: string;
  readonly timeouts?: StoreTimeouts;
}

/** chDB's types come from another copy of the client's; at run time the two are the same. */
type ClientConnection = NonNullable<ClickHouseClientConfigOptions['connection']>;

/** The open data directory: the engine supports one for the whole process. */
let openPath: string | null = null;

/** Opens the data directory. Rejects with `store_locked` if another process has it open, or this one has any open. */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<Store> {
  const path = resolve(options.path);
  if (openPath !== null) throw new StoreError('store_locked', `this process already has the store open in ${openPath}`);
  openPath = path;
  detachStandardInput();
  let engine: Engine | null = null;
  try {
    engine = new Engine(path, options.timeouts ?? STORE_TIMEOUTS);
    return await engine.database(options.database ?? 'parallax');
  } catch (error) {
    if (engine) await engine.close();
    else openPath = null;
    throw error;
  }
}

/** The sessions on one data directory, for all databases, and the semaphores that they share. */
class Engine {
  readonly timeouts: StoreTimeouts;
  readonly writes = new Semaphore(1, WAITING_MAX);
  readonly reads = new Semaphore(READERS, WAITING_MAX);
  readonly guard: DiskGuard;
  closed = false;
  private readonly path: string;
  /** The first session starts the engine, with its configuration; the others find it running. */
  private readonly first: Session;
  private readonly sessions: ClickHouseClient[] = [];
  /** Tables that are to be attached again. */
  private readonly detached = new Set<string>();

  constructor(path: string, timeouts: StoreTimeouts) {
    this.path = path;
    this.timeouts = timeouts;
    this.first = startEngine(path);
    this.guard = new DiskGuard({
      freeBytes: () => freeBytes(path),
      reloadTables: () => this.alone(() => this.reloadTables()),
    });
  }

  async database(database: string): Promise<Store> {
    if (!isIdentifier(database)) throw new StoreError('store_rejected', `not a database name: ${database}`);
    const { queryMs, insertMs, commandMs } = this.timeouts;
    const writer = await this.open(database, Math.max(insertMs, commandMs));
    const readers = [];
    for (let count = 0; count < READERS; count += 1) readers.push(await this.open(database, queryMs));
    return new EmbeddedStore(this, database, writer, readers);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.guard.close();
    await Promise.all([this.writes.idle(), this.reads.idle()]);
    for (const session of this.sessions) await session.close();
    this.first.close();
    // A closed session may still be shutting down; the directory is free once the engine has released it.
    await drainPending();
    openPath = null;
  }

  /** Opens a session, which keeps its settings and its database, so they are set once. */
  private async open(database: string, timeoutMs: number): Promise<ClickHouseClient> {
    const session = this.connect();
    this.sessions.push(session);
    const settings = Object.entries({ ...STORE_SETTINGS, ...engineTimeLimit(timeoutMs) });
    try {
      await session.command({ query: `CREATE DATABASE IF NOT EXISTS ${database}` });
      await session.command({ query: `USE ${database}` });
      await session.command({ query: `SET ${settings.map(([name, value]) => `${name} = ${value}`).join(', ')}` });
    } catch (error) {
      throw toStoreError(error);
    }
    return session;
  }

  private connect(): ClickHouseClient {
    try {
      return createClient({
        connection: createChdbConnection({ path: this.path }) as unknown as ClientConnection,
        log: { level: ClickHouseLogLevel.OFF },
        json: SENDS_SLICES,
      });
    } catch (error) {
      throw toStoreError(error);
    }
  }

  /** Runs work while no other call runs. */
  private alone(work: () => Promise<void>): Promise<void> {
    const { queryMs, commandMs, graceMs } = this.timeouts;
    const waitMs = Math.max(queryMs, commandMs) + graceMs;
    // The last one is acquired first: queries go on while a long command runs.
    const permits = [...Array<Semaphore>(READERS).fill(this.reads), this.writes];
    return permits.reduce((inner, semaphore) => () => semaphore.run(inner, waitMs), work)();
  }

  /** Loads every table from the disk again. If one cannot be attached, the next call begins with it. */
  private async reloadTables(): Promise<void> {
    // A session whose last call failed holds the tables of that call until its next one, and they could not be detached.
    for (const each of this.sessions) await each.ping({ select: true });
    const session = this.sessions[0]!;
    const tables = await session.query({
      query: "SELECT database, name FROM system.tables WHERE engine LIKE '%MergeTree' AND database != 'system'",
      format: 'JSONEachRow',
    });
    const attached = await tables.json<{ database: string; name: string }>();
    for (const table of [...this.detached, ...attached.map(({ database, name }) => `${database}.${name}`)]) {
      this.detached.add(table);
      await session.command({ query: `DETACH TABLE IF EXISTS ${table} SYNC` });
      await session.command({ query: `ATTACH TABLE IF NOT EXISTS ${table}` });
      this.detached.delete(table);
    }
  }
}

/** Starts the engine on a data directory, which is created if missing. */
function startEngine(path: string): Session {
  try {
    mkdirSync(path, { recursive: true });
    const config = join(path, CONFIG_FILE);
    // Not written again, so that a start also succeeds on a full disk.
    if (!existsSync(config) || readFileSync(config, 'utf8') !== ENGINE_CONFIG) writeFileSync(config, ENGINE_CONFIG);
    return new Session(path, { connectionArgs: [`--config-file=${config}`] });
  } catch (error) {
    const holder = holderOf(path);
    if (holder !== null) throw new StoreError('store_locked', `the store in ${path} is in use by process ${holder}`);
    throw toStoreError(error);
  }
}

/**
 * The process that has a data directory open, from the status file that the engine keeps locked in it; null if there is
 * none.
 */
function holderOf(path: string): number | null {
  try {
    const pid = Number(/^PID: (\d+)/m.exec(readFileSync(join(path, 'status'), 'utf8'))?.[1]);
    if (!Number.isInteger(pid) || pid === process.pid) return null;
    process.kill(pid, 0);
    return pid;
  } catch {
    // No status file, or no such process: the directory could not be opened for another reason.
    return null;
  }
}

class EmbeddedStore implements Store {
  readonly database: string;
  readonly cluster = null;
  private readonly engine: Engine;
  private readonly writer: ClickHouseClient;
  private readonly idleReaders: ClickHouseClient[];

  constructor(engine: Engine, database: string, writer: ClickHouseClient, readers: readonly ClickHouseClient[]) {
    this.engine = engine;
    this.database = database;
    this.writer = writer;
    this.idleReaders = [...readers];
  }

  async query<T>(sql: string, parameters: Readonly<Record<string, Parameter>> = {}): Promise<T[]> {
    const query = bindParameters(sql, parameters);
    return this.run(this.engine.reads, this.engine.timeouts.queryMs, async () => {
      // The semaphore has one permit per reader, so one is idle.
      const reader = this.idleReaders.pop()!;
      try {
        const result = await reader.query({ query, format: 'JSONEachRow' });
        return await result.json<T>();
      } finally {
        this.idleReaders.push(reader);
      }
    });
  }

  async insert(table: string, rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    if (!isIdentifier(table)) throw new StoreError('store_rejected', `not a table name: ${table}`);
    const { columns, slices } = await encodeRows(rows);
    await this.run(this.engine.writes, this.engine.timeouts.insertMs, () =>
      this.engine.guard.insert(() =>
        this.writer.insert({ table, columns, values: slices, format: 'JSONCompactEachRow' }),
      ),
    );
  }

  async command(sql: string): Promise<void> {
    await this.run(this.engine.writes, this.engine.timeouts.commandMs, () => this.writer.command({ query: sql }));
  }

  async inDatabase(database: string): Promise<Store> {
    this.refuseWhenClosed();
    return this.engine.database(database);
  }

  close(): Promise<void> {
    return this.engine.close();
  }

  private async run<T>(semaphore: Semaphore, timeoutMs: number, work: () => Promise<T>): Promise<T> {
    this.refuseWhenClosed();
    try {
      return await semaphore.run(work, timeoutMs + this.engine.timeouts.graceMs);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  private refuseWhenClosed(): void {
    if (this.engine.closed) throw new StoreError('store_closed', 'the store was closed');
  }
}
