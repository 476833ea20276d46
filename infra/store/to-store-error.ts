/** Converts every error of the client or the engine to a `StoreError`; the only place that does so. */
import { StoreError, type StoreErrorCode } from './store.ts';

/** Engine codes that are caused neither by the statement nor by a row. All others are `store_rejected`. */
const BY_ENGINE_CODE: ReadonlyMap<number, StoreErrorCode> = new Map([
  ...codes('store_full', [
    243, // NOT_ENOUGH_SPACE
  ]),
  ...codes('store_unavailable', [
    3, // UNEXPECTED_END_OF_FILE: the request body broke off
    74, // CANNOT_READ_FROM_FILE_DESCRIPTOR
    75, // CANNOT_WRITE_TO_FILE_DESCRIPTOR
    76, // CANNOT_OPEN_FILE
    159, // TIMEOUT_EXCEEDED
    160, // TOO_SLOW
    173, // CANNOT_ALLOCATE_MEMORY
    198, // DNS_ERROR
    201, // QUOTA_EXCEEDED
    202, // TOO_MANY_SIMULTANEOUS_QUERIES
    203, // NO_FREE_CONNECTION
    209, // SOCKET_TIMEOUT
    210, // NETWORK_ERROR
    236, // ABORTED: the server is shutting down
    241, // MEMORY_LIMIT_EXCEEDED
    242, // TABLE_IS_READ_ONLY
    252, // TOO_MANY_PARTS
    279, // ALL_CONNECTION_TRIES_FAILED
    319, // UNKNOWN_STATUS_OF_INSERT
    394, // QUERY_WAS_CANCELLED
    425, // SYSTEM_ERROR
    439, // CANNOT_SCHEDULE_TASK
    473, // DEADLOCK_AVOIDED
    999, // KEEPER_EXCEPTION
  ]),
  ...codes('store_misconfigured', [
    16, // NO_SUCH_COLUMN_IN_TABLE
    60, // UNKNOWN_TABLE
    81, // UNKNOWN_DATABASE
    115, // UNKNOWN_SETTING
    139, // NO_ELEMENTS_IN_CONFIG: a cluster without Keeper or macros
    164, // READONLY
    192, // UNKNOWN_USER
    193, // WRONG_PASSWORD
    194, // REQUIRED_PASSWORD
    291, // DATABASE_ACCESS_DENIED
    452, // SETTING_CONSTRAINT_VIOLATION
    497, // ACCESS_DENIED
    516, // AUTHENTICATION_FAILED
    701, // CLUSTER_DOESNT_EXIST
  ]),
]);

function codes(code: StoreErrorCode, numbers: readonly number[]): [number, StoreErrorCode][] {
  return numbers.map((number) => [number, code]);
}

/** The operating system's message for a full disk, inside an error with any engine code. */
const NO_SPACE = /No space left on device|ENOSPC/;
/** Length limit of messages: parse errors quote complete rows, of which the start is enough. */
const MESSAGE_MAX = 600;

/**
 * Converts an error of the client. Engine errors are recognised by their number, whatever their class; all others are
 * errors of the connection.
 *
 * @param secrets texts that must not appear in the message, such as the password in the store's URL.
 */
export function toStoreError(error: unknown, secrets: readonly string[] = []): StoreError {
  if (error instanceof StoreError) return error;
  const text = error instanceof Error ? error.message || error.name : String(error);
  const engineCode = engineCodeOf(error);
  const code = NO_SPACE.test(text)
    ? 'store_full'
    : engineCode === null
      ? 'store_unavailable'
      : (BY_ENGINE_CODE.get(engineCode) ?? 'store_rejected');
  const label = engineCode === null ? systemCodeOf(error) : `code ${engineCode}`;
  // Redacted first: of a secret that the limit cuts, the start would stay.
  const message = redactSecrets(`${label ? `${label}: ` : ''}${text}`, secrets);
  return new StoreError(code, message.replace(/\s+/g, ' ').slice(0, MESSAGE_MAX));
}

/** The error number of the engine, or null for an error of the connection. */
function engineCodeOf(error: unknown): number | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^\d+$/.test(code) ? Number(code) : null;
}

function systemCodeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : '';
}

function redactSecrets(message: string, secrets: readonly string[]): string {
  return secrets.reduce((text, secret) => (secret === '' ? text : text.replaceAll(secret, '[redacted]')), message);
}
