import type { ServiceFigures } from '../service/service-figures.ts';

/** A service of which nothing is known yet. */
export const idleService: ServiceFigures = {
  nodes: () => [],
  sizes: async () => ({ topics: [], tables: [], diskFreeBytes: null }),
};
