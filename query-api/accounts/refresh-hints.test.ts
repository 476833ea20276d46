import { expect, it } from 'vitest';
import { RequestError } from '#infra/requests/request-error';
import { sendHints } from './refresh-hints.ts';

const A = `0x${'a1'.repeat(20)}`;
const B = `0x${'b2'.repeat(20)}`;
const ACCOUNTS = [
  { provider: 'venue_a', address: A },
  { provider: 'venue_b', address: B },
] as const;
const NEXT = Date.UTC(2026, 2, 1, 12);

/** An organization that binds these accounts, and what ingest was sent. */
function setUp(bound: readonly { provider: string; address: string }[], isSandbox = false) {
  const caller = { orgId: 'org_1', sandbox: isSandbox };
  const wallets = bound.map((wallet) => ({ ...wallet, ...caller }));
  const walletsByAddress = new Map(wallets.map((wallet) => [wallet.address, [wallet]]));
  const sent: string[] = [];
  const send = async ({ name }: { name: string }, { address, windows }: { address: string; windows: string[] }) => {
    sent.push(`${name} ${address}`);
    const hints = windows.map((window) => ({ window, accepted: window === '1D', nextHintAt: NEXT }));
    return { result: { hints } };
  };
  const dependencies = { control: { state: { walletsByAddress } }, ingest: { send } };
  const hint = (changes: object = {}) =>
    sendHints(ACCOUNTS, ['1D', 'ALL'], caller as never, { ...dependencies, ...changes } as never);
  return { hint, sent };
}

it('sends hints of bound accounts only, in the order of accounts and windows', async () => {
  const { hint, sent } = setUp([{ provider: 'venue_a_dex', address: A }]);
  const nextRefreshAt = new Date(NEXT).toISOString();
  expect(await hint()).toEqual([
    { provider: 'venue_a', address: A, window: '1D', accepted: true, nextRefreshAt },
    { provider: 'venue_a', address: A, window: 'ALL', accepted: false, nextRefreshAt },
    { provider: 'venue_b', address: B, window: '1D', accepted: false, nextRefreshAt: null },
    { provider: 'venue_b', address: B, window: 'ALL', accepted: false, nextRefreshAt: null },
  ]);
  expect(sent).toEqual([`venue_a.series-refresh ${A}`]);
});

it('is not found if the organization binds none of the accounts, or only on another venue', async () => {
  await expect(setUp([]).hint()).rejects.toMatchObject({ code: 'not_found', status: 404 });
  await expect(setUp([{ provider: 'venue_b', address: A }]).hint()).rejects.toMatchObject({ code: 'not_found' });
});

it('is refused for a sandbox wallet, and sends nothing', async () => {
  const { hint, sent } = setUp(ACCOUNTS, true);
  await expect(hint()).rejects.toMatchObject({ code: 'validation_failed', status: 400 });
  expect(sent).toEqual([]);
});

it('fails as a read of the venue if ingest does not answer', async () => {
  const send = async () => Promise.reject(new RequestError('late'));
  await expect(setUp(ACCOUNTS).hint({ ingest: { send } })).rejects.toMatchObject({ code: 'upstream_unavailable' });
});
