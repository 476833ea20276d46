import { defineInfoRoute } from './info-route.ts';

export const getHistoricalOrders = defineInfoRoute({
  name: 'historical-orders',
  type: 'historicalOrders',
  parameters: ['user'],
  summary: 'The newest orders of an account with their status, of all dexes.',
});
