import { defineInfoRoute } from './info-route.ts';

export const getSpotClearinghouseState = defineInfoRoute({
  name: 'spot-clearinghouse-state',
  type: 'spotClearinghouseState',
  parameters: ['user'],
  summary: 'Spot balances of an account.',
});
