import { defineInfoRoute } from './info-route.ts';

export const getMeta = defineInfoRoute({
  name: 'meta',
  type: 'meta',
  parameters: ['dex'],
  summary: 'The perpetuals of a dex, delisted ones included.',
});
