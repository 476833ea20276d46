import { ClickHouseError } from '@clickhouse/client';
import { describe, expect, it } from 'vitest';
import { StoreError } from './store.ts';
import { toStoreError } from './to-store-error.ts';

const engineError = (code: number, message = 'why') => new ClickHouseError({ code: String(code), message, type: 'X' });

describe('toStoreError', () => {
  it.each([
    [243, 'store_full', true],
    [202, 'store_unavailable', true],
    [159, 'store_unavailable', true],
    [241, 'store_unavailable', true],
    [252, 'store_unavailable', true],
    [516, 'store_misconfigured', false],
    [60, 'store_misconfigured', false],
    [62, 'store_rejected', false],
    [27, 'store_rejected', false],
    [69, 'store_rejected', false],
  ] as const)('converts engine code %i to %s', (number, code, canRetry) => {
    expect(toStoreError(engineError(number))).toMatchObject({ code, canRetry, message: `code ${number}: why` });
  });

  it('recognises a full disk by the message of the system, whatever the number', () => {
    expect(toStoreError(engineError(27, 'errno 28: No space left on device')).code).toBe('store_full');
  });

  it('converts other errors to errors of the connection', () => {
    const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
    expect(toStoreError(refused)).toMatchObject({ code: 'store_unavailable', message: 'ECONNREFUSED: Error' });
    expect(toStoreError(new Error('Timeout error.')).code).toBe('store_unavailable');
  });

  it('returns a StoreError unchanged', () => {
    const error = new StoreError('store_closed', 'closed');
    expect(toStoreError(error)).toBe(error);
  });

  it('redacts secrets, limits the message to one short line, and omits the cause', () => {
    const error = toStoreError(new Error(`http://me:s3cret@host\n${'x'.repeat(10_000)}`), ['s3cret', '']);
    expect(error.message).toContain('http://me:[redacted]@host');
    expect(error.message.length).toBeLessThan(700);
    expect(error.message).not.toContain('\n');
    expect(error.cause).toBeUndefined();
  });

  it('redacts a secret that the limit of the message cuts', () => {
    const error = toStoreError(new Error(`${'x'.repeat(595)} s3cret-of-many-characters`), [
      's3cret-of-many-characters',
    ]);
    expect(error.message).not.toContain('s3c');
  });
});
