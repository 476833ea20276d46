import { describe, expect, it } from 'vitest';
import { RequestError } from '#infra/requests/request-error';
import type { AccountValue } from '#schemas/topics/accounts';
import { postAccountsBatch } from '../routes/v1/accounts/post-batch.ts';
import { anAccountValue } from '../testing/records.fixture.ts';
import { batchValues } from './batch-values.ts';

const addressAt = (at: number) => `0x${String(at).padStart(40, '0')}`;
const ADDRESSES = Array.from({ length: 20 }, (_, at) => addressAt(at));
const LIVE = { sandbox: false };

/** @param read what an acquisition of an address does; it returns the fields of the value. */
function setUp(read: (address: string, attempt: number) => Promise<Partial<AccountValue>>) {
  const accountValues = new Map<string, AccountValue>();
  const sent: string[] = [];
  const send = async (_: unknown, { address }: { address: string }) => {
    sent.push(address);
    const fields = await read(address, sent.filter((one) => one === address).length);
    const account = `venue_a:${address}`;
    const publishedAt = Date.now();
    accountValues.set(account, anAccountValue({ account, receivedAt: publishedAt, ...fields }));
    return { result: { publishedAt } };
  };
  const dependencies = { views: { accountValues }, ingest: { send } } as never;
  const batch = (addresses: readonly string[], withinMs = 5_000, caller = LIVE) =>
    batchValues(addresses, caller, new AbortController().signal, dependencies, withinMs);
  return { batch, sent, accountValues };
}

const worth = (valueUsd: string): Partial<AccountValue> => ({
  valueUsd,
  navUsd: valueUsd,
  unrealizedPnlUsd: '-0.5',
  mode: 'default',
  buckets: [{ kind: 'perp', usd: valueUsd }],
});

describe('a batch', () => {
  it('returns rows in the order of the request, whichever is ready first, and their exact sum', async () => {
    const { batch, sent } = setUp(async (address) => {
      if (address === addressAt(0)) await new Promise((resolve) => setTimeout(resolve, 20));
      return worth('0.1');
    });
    const { results, summary } = await batch(ADDRESSES);
    expect(results.map(({ address }) => address)).toEqual(ADDRESSES);
    expect(results[0]).toEqual({
      address: addressAt(0),
      valueUsd: 0.1,
      buckets: [{ kind: 'perp', usd: 0.1 }],
      unrealizedPnlUsd: -0.5,
      accountMode: 'default',
    });
    expect(summary).toEqual({ totalValueUsd: 2, addressesReporting: 20, addressesRequested: 20 });
    expect(sent).toEqual(ADDRESSES);
  });

  it('has a note for an account that cannot be read or valued, and leaves it out of the sum', async () => {
    const { batch } = setUp(async (address) => {
      if (address === addressAt(1)) throw new RequestError('upstream_failed');
      return address === addressAt(2) ? { navUsd: null, valueUsd: null, unpriced: 'PURR' } : worth('7');
    });
    const { results, summary } = await batch(ADDRESSES.slice(0, 3));
    const missing = { valueUsd: null, buckets: [], unrealizedPnlUsd: null, accountMode: null };
    expect(results.slice(1)).toEqual([
      { address: addressAt(1), ...missing, note: expect.any(String) },
      { address: addressAt(2), ...missing, note: expect.stringContaining('PURR') },
    ]);
    expect(summary).toEqual({ totalValueUsd: 7, addressesReporting: 1, addressesRequested: 3 });
  });

  it('has no sum if no row has a value', async () => {
    const { batch } = setUp(async () => Promise.reject(new RequestError('late')));
    expect((await batch([addressAt(1)])).summary.totalValueUsd).toBeNull();
  });

  it('waits again for room within the limits of the venue', async () => {
    const { batch } = setUp(async (_, attempt) => {
      if (attempt === 1) throw new RequestError('rate_limited');
      return worth('1');
    });
    expect((await batch([addressAt(1)])).summary.totalValueUsd).toBe(1);
  });

  it('ends in time, with a note for each row that is not ready', async () => {
    const { batch, sent } = setUp(async (address) => {
      if (address === addressAt(0)) return worth('1');
      throw new RequestError('rate_limited');
    });
    const { results, summary } = await batch(ADDRESSES, 100);
    expect(results.filter(({ note }) => note !== undefined)).toHaveLength(19);
    expect(summary).toEqual({ totalValueUsd: 1, addressesReporting: 1, addressesRequested: 20 });
    expect(new Set(sent).size).toBeLessThan(20);
  });

  it('returns values of the data set to a sandbox key, without a request', async () => {
    const { batch, sent, accountValues } = setUp(async () => worth('1'));
    accountValues.set(`venue_a:${addressAt(1)}`, anAccountValue({ receivedAt: 0, ...worth('5') }));
    const { results } = await batch([addressAt(1), addressAt(2)], 5_000, { sandbox: true });
    expect(results.map(({ valueUsd }) => valueUsd)).toEqual([5, null]);
    expect(results[1]!.note).toBe('the sandbox has no value of this account');
    expect(sent).toEqual([]);
  });
});

describe('the body of a batch', () => {
  const ADDRESS = `0x${'aB'.repeat(20)}`;
  const parse = (users: unknown) => postAccountsBatch.body!.safeParse({ users });

  it('has 1 to 50 addresses, in any case', () => {
    expect(parse([ADDRESS]).data).toEqual({ users: [ADDRESS.toLowerCase()] });
    expect(parse(Array.from({ length: 50 }, (_, at) => addressAt(at))).success).toBe(true);
  });

  it.each([
    ['no address', []],
    ['51 addresses', Array.from({ length: 51 }, (_, at) => addressAt(at))],
    ['an address twice', [ADDRESS, ADDRESS]],
    ['addresses that differ only in case', [ADDRESS, ADDRESS.toLowerCase()]],
    ['something else', ['0x12']],
    ['no list', ADDRESS],
    ['nothing', undefined],
  ])('is refused with %s', (_, users) => {
    expect(parse(users).error?.issues[0]?.path[0]).toBe('users');
  });
});
