import { expect, it } from 'vitest';
import { messagesResetAt } from './message-quota.ts';

const quota = (sku: string, remaining: number, resetAt: string) => ({ sku, remaining, resetAt });

it('takes the end of the last window of messages that is used up', () => {
  const [minute, day] = ['2026-03-01T12:01:00Z', '2026-03-02T00:00:00Z'];
  const other = quota('api.request', 0, day);
  expect(messagesResetAt([quota('ws.message', 0, minute), quota('ws.message', 9, day), other])).toBe(
    Date.parse(minute),
  );
  expect(messagesResetAt([quota('ws.message', 0, minute), quota('ws.message', 0, day)])).toBe(Date.parse(day));
  expect(messagesResetAt([quota('ws.message', 9, minute), other])).toBeNull();
});
