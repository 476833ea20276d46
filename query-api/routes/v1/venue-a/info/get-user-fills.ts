import { readUserFills } from '../../../../upstream/read-user-fills.ts';
import { defineInfoRoute } from './info-route.ts';

export const getUserFills = defineInfoRoute({
  name: 'user-fills',
  type: 'userFills',
  parameters: ['user'],
  summary: 'The newest fills of an account; `liquidation` is null unless a liquidation caused the fill.',
  // The schema of the route requires a user.
  read: (dependencies, { user }) => readUserFills(dependencies, user!),
});
