import { defineInfoRoute } from './info-route.ts';

export const getClearinghouseState = defineInfoRoute({
  name: 'clearinghouse-state',
  type: 'clearinghouseState',
  parameters: ['user', 'dex'],
  summary: 'Positions, margin and account value of an account on a dex.',
});
