import { expect, it } from 'vitest';
import { aResolution } from '#schemas/testing/records.fixture';
import type { Resolution } from '#schemas/topics/oracle';
import { applyResolution, createSettlements, UNCONFIRMED_MAX } from './settlements.ts';

it('a replaced settlement that is forgotten leaves the candidates of its successor', () => {
  const state = createSettlements();
  const apply = (event: string, fields: Partial<Resolution>) =>
    applyResolution(state, aResolution(fields), [event], () => ({ polarity: 'same' }) as never).map(
      ({ resolution: { id, status } }) => `${id} ${status}`,
    );
  let others = 0;
  const fillUpTo = (count: number) => {
    while (state.unconfirmed.size < count) apply(`evt_other_${others}`, { id: `other ${++others}` });
  };
  expect(apply('evt_1', { id: 'first' })).toEqual(['first pending']);
  expect(apply('evt_1', { id: 'first', status: 'reverted' })).toEqual(['first reverted']);
  // The oldest hundredth is forgotten at once: the first one is in it, the second one is not.
  fillUpTo(UNCONFIRMED_MAX / 50);
  expect(apply('evt_1', { id: 'second' })).toEqual(['second pending']);
  expect(apply('evt_1', { id: 'third' })).toEqual([]);
  fillUpTo(UNCONFIRMED_MAX);
  apply('evt_last', { id: 'last' });
  expect(state.unconfirmed.has('first')).toBe(false);
  expect(state.unconfirmed.has('second')).toBe(true);
  expect(apply('evt_1', { id: 'second', status: 'reverted' })).toEqual(['second reverted', 'third pending']);
});
