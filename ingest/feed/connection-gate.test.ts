import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Attempt, ConnectionGate } from './connection-gate.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const OPEN = new AbortController().signal;

function setUp() {
  const gate = new ConnectionGate((refusals) => refusals * 1_000);
  const entered: { priority: number; attempt: Attempt }[] = [];
  const enter = (priority: number, signal = OPEN) =>
    void gate.enter(priority, signal).then(
      (attempt) => void entered.push({ priority, attempt }),
      () => {},
    );
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  return { gate, enter, entered, pass };
}

it('lets all slots connect at once while the venue accepts connections', async () => {
  const { enter, entered, pass } = setUp();
  for (const priority of [0, 1, 2]) enter(priority);
  await pass(0);
  expect(entered).toHaveLength(3);
});

it('lets one slot at a time try while the venue refuses, the most important first, with growing delays', async () => {
  const { gate, enter, entered, pass } = setUp();
  for (const priority of [0, 1, 2]) enter(priority);
  await pass(0);
  for (const { attempt } of entered.splice(0)) attempt.fail();
  for (const priority of [2, 1, 0]) enter(priority);
  await pass(999);
  expect(entered).toEqual([]);
  await pass(1);
  expect(entered.map(({ priority }) => priority)).toEqual([0]);
  entered.splice(0)[0]!.attempt.fail();
  enter(0);
  await pass(1_999);
  expect(entered).toEqual([]);
  await pass(60_000);
  expect(entered.map(({ priority }) => priority)).toEqual([0]);
  expect(gate.isRefusing).toBe(true);
});

it('lets all waiting slots connect as soon as one connection works, whose later end changes nothing', async () => {
  const { gate, enter, entered, pass } = setUp();
  enter(0);
  await pass(0);
  entered.splice(0)[0]!.attempt.fail();
  for (const priority of [0, 1, 2]) enter(priority);
  await pass(1_000);
  const [probe] = entered;
  probe!.attempt.succeed();
  await pass(0);
  expect(entered.map(({ priority }) => priority)).toEqual([0, 1, 2]);
  probe!.attempt.fail();
  expect(gate.isRefusing).toBe(false);
});

it('passes the turn on if a probe is given up, and forgets a slot that stops waiting', async () => {
  const { enter, entered, pass } = setUp();
  enter(0);
  await pass(0);
  entered.splice(0)[0]!.attempt.fail();
  const stopping = new AbortController();
  enter(0, stopping.signal);
  enter(1);
  enter(2);
  stopping.abort();
  await pass(1_000);
  expect(entered.map(({ priority }) => priority)).toEqual([1]);
  entered[0]!.attempt.cancel();
  await pass(0);
  expect(entered.map(({ priority }) => priority)).toEqual([1, 2]);
});
