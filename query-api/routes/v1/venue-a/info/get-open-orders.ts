import { defineInfoRoute } from './info-route.ts';

export const getOpenOrders = defineInfoRoute({
  name: 'open-orders',
  type: 'frontendOpenOrders',
  parameters: ['user', 'dex'],
  summary: 'Resting orders of an account on a dex.',
});
