import { defineInfoRoute } from './info-route.ts';

export const getPerpDexs = defineInfoRoute({
  name: 'perp-dexs',
  type: 'perpDexs',
  parameters: [],
  summary: 'The builder dexes.',
});
