import { defineInfoRoute } from './info-route.ts';

export const getSpotMeta = defineInfoRoute({
  name: 'spotMeta',
  type: 'spotMeta',
  parameters: [],
  summary: 'Spot pairs and tokens.',
});
