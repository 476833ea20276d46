import { z } from 'zod';
import { keyRows } from '#schemas/domain/control/rows';
import { defineOwnRoute } from '../route.ts';
import { keySchema } from './key-shapes.ts';

export const getKeys = defineOwnRoute({
  method: 'GET',
  path: '/keys',
  scope: 'admin',
  sku: null,
  summary: "The own organization's keys, without secrets.",
  params: z.object({}),
  query: z.object({}),
  response: z.object({ keys: z.array(keySchema).readonly() }),
  handle: ({ caller }, { control }) => ({
    keys: keyRows(control.state, caller).map((row) => ({ ...row, scopes: [...row.scopes] })),
  }),
});
