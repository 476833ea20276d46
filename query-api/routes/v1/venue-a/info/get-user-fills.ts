import { defineInfoRoute } from './info-route.ts';
import { newestFills } from './newest-fills.ts';

export const getUserFills = defineInfoRoute({
  name: 'user-fills',
  type: 'userFills',
  parameters: ['user'],
  summary: 'The newest fills of an account; `liquidation` is null unless a liquidation caused the fill.',
  transform: newestFills,
});
