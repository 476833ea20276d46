import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type LedgerChange, ledgerChangeTopic } from '#schemas/topics/ledger-checks';
import { UpstreamError } from '../feed/errors.ts';
import { openTestRole, testFolder } from '../testing/role-context.fixture.ts';
import { CheckTurns } from './check-turns.ts';
import { startChecks } from './start-checks.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const START = 100 * HOUR;
const change = (account: string, changedAt: number | null, checkedAt: number | null = null): LedgerChange => ({
  account,
  ledger: START,
  changedAt,
  checkedAt,
});

describe('turns of comparisons', () => {
  it('come 30 to 60 s after a ledger last changed, the longest due first', () => {
    for (const random of [0, 1]) {
      const turns = new CheckTurns(() => random);
      turns.record(change('late', START + 1));
      turns.record(change('early', START));
      turns.record(change('again', START));
      turns.record(change('again', START + 20 * SECOND));
      const due = START + (30 + random * 30) * SECOND;
      expect(turns.next(due - 1)).toBeNull();
      expect([turns.next(due + 1), turns.next(due + 1), turns.next(due + 1)]).toEqual(['early', 'late', null]);
      expect(turns.next(due + 20 * SECOND)).toBe('again');
    }
  });

  it('come every hour while a ledger changes all the time', () => {
    const turns = new CheckTurns(() => 0);
    for (let at = START; at < START + HOUR; at += 20 * SECOND) {
      turns.record(change('a', at));
      expect(turns.next(at)).toBeNull();
    }
    turns.record(change('a', START + HOUR - SECOND));
    expect(turns.next(START + HOUR)).toBe('a');
    turns.record(change('a', START + HOUR + SECOND, START + HOUR));
    expect(turns.next(START + HOUR + 30 * SECOND)).toBeNull();
  });

  it('come an hour after the last one, and again where no comparison follows', () => {
    const turns = new CheckTurns(() => 0);
    turns.record(change('a', null, START));
    expect(turns.next(START + HOUR - 1)).toBeNull();
    expect(turns.next(START + HOUR)).toBe('a');
    expect(turns.next(START + HOUR + 59 * SECOND)).toBeNull();
    expect(turns.next(START + HOUR + 60 * SECOND)).toBe('a');
    turns.failed('a', START + HOUR + 60 * SECOND);
    expect(turns.next(START + HOUR + 70 * SECOND)).toBe('a');
    turns.forget('a');
    expect(turns.next(START + 9 * HOUR)).toBeNull();
  });
});

it('acquires the accounts whose ledgers changed, until they are compared', async () => {
  const { folder, remove } = await testFolder();
  onTestFinished(remove);
  const role = await openTestRole(folder, {});
  onTestFinished(() => role.close());
  const { log, codec } = role.context;
  await log.createTopics([ledgerChangeTopic]);
  await codec.prepare([ledgerChangeTopic]);
  let seq = 0;
  const append = async (record: LedgerChange) => {
    seq += 1;
    const at = { topic: ledgerChangeTopic.name, partition: 0, key: record.account, receivedAt: START };
    await log.append([{ ...at, value: codec.encode(ledgerChangeTopic, record), seq }]);
  };
  await append(change('venue_b:0x1', START));
  await append(change('venue_b:0x2', START));
  await append(change('venue_b:0x3', null, START));
  const acquired: string[] = [];
  const checks = await startChecks({
    context: role.context,
    priority: 1,
    now: () => START + 61 * SECOND,
    wait: async (_, signal) => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      return !signal.aborted;
    },
    acquire: async (address, { cause, priority }) => {
      acquired.push(`${address} ${cause} ${priority}`);
      if (address === '0x2') throw new UpstreamError('upstream_unavailable', 'no response');
      return { publishedAt: START, native: [] };
    },
  });
  onTestFinished(() => checks.close());
  await vi.waitFor(() => expect(acquired.toSorted()).toEqual(['0x1 check 1', '0x2 check 1']), 10_000);
});
