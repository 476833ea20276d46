import { ClickHouseError } from '@clickhouse/client';
import { describe, expect, it } from 'vitest';
import { StoreError } from './store.ts';
import { storeErrorOf } from './store-error-of.ts';

const engineError = (code: number, message = 'why') => new ClickHouseError({ code: String(code), message, type: 'X' });

describe('storeErrorOf', () => {
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
  ] as const)('makes engine code %i %s', (number, code, canRetry) => {
    expect(storeErrorOf(engineError(number))).toMatchObject({ code, canRetry, message: `code ${number}: why` });
  });

  it('tells a full disk by what the system says, whatever the number', () => {
    expect(storeErrorOf(engineError(27, 'errno 28: No space left on device')).code).toBe('store_full');
  });

  it('makes what is no engine error a failure of the way there', () => {
    const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
    expect(storeErrorOf(refused)).toMatchObject({ code: 'store_unavailable', message: 'ECONNREFUSED: Error' });
    expect(storeErrorOf(new Error('Timeout error.')).code).toBe('store_unavailable');
  });

  it('leaves a StoreError as it is', () => {
    const error = new StoreError('store_closed', 'closed');
    expect(storeErrorOf(error)).toBe(error);
  });

  it('takes secrets out, keeps to one line of bounded length, and passes no cause on', () => {
    const error = storeErrorOf(new Error(`http://me:s3cret@host\n${'x'.repeat(10_000)}`), ['s3cret', '']);
    expect(error.message).toContain('http://me:[redacted]@host');
    expect(error.message.length).toBeLessThan(700);
    expect(error.message).not.toContain('\n');
    expect(error.cause).toBeUndefined();
  });
});
