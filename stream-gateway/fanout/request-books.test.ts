import { expect, it } from 'vitest';
import { RequestError } from '#infra/requests/request-error';
import { requestSubscribed } from './request-books.ts';

const sent: unknown[] = [];
const client = {
  send: async (orgId: string, kind: { name: string }, params: unknown) => {
    sent.push([orgId, kind.name, params]);
    throw new RequestError('late');
  },
};
const subscribedTo = (...coins: string[]) => ({ rawInstruments: () => new Set(coins) });

it('asks for the books of subscribed raw channels in a fixed order, and for none without subscribers', () => {
  requestSubscribed(client as never, subscribedTo());
  expect(sent).toEqual([]);
  requestSubscribed(client as never, subscribedTo('ETH', '#10'));
  expect(sent).toEqual([['stream-gateway', 'venue_a.book-wanted', { coins: ['#10', 'ETH'] }]]);
});
