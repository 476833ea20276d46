import { z } from 'zod';
import { keyRows } from '#schemas/domain/control/rows';
import { isoTime } from '#schemas/http/scalars';
import { defineCallerRoute } from '../route.ts';
import { keySchema } from './key-shapes.ts';

export const getKeys = defineCallerRoute({
  method: 'GET',
  path: '/keys',
  scope: 'admin',
  sku: null,
  summary: "Lists the keys of the caller's organization, without secrets.",
  params: z.object({}),
  query: z.object({}),
  response: z.object({ keys: z.array(keySchema).readonly().describe('The keys that are valid.') }),
  handle: ({ caller }, { control, keyUses }) => ({
    keys: keyRows(control.state, caller).map((row) => {
      const usedAt = keyUses.lastUsedAt(row.id);
      return { ...row, scopes: [...row.scopes], lastUsedAt: usedAt === null ? null : isoTime(usedAt) };
    }),
  }),
});
