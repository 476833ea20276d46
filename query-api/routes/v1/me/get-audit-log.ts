import { z } from 'zod';
import { paginationSchema, toPagination } from '#schemas/http/pagination';
import { clampedInteger, cursorParameter } from '#schemas/http/parameters';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { auditTopic } from '#schemas/topics/audit';
import { readAuditLog } from '../../../queries/read-audit-log.ts';
import { defineCallerRoute } from '../../route.ts';

export const getAuditLog = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/audit-log',
  scope: 'admin',
  sku: 'api.request',
  summary: "Changes to the caller's organization, newest first; a sandbox key sees only the changes by sandbox keys.",
  params: z.object({}),
  query: z.object({
    limit: clampedInteger({ min: 1, max: 1_000, fallback: 100 }),
    cursor: cursorParameter.optional(),
  }),
  response: z.object({
    entries: z
      .array(
        z.object({
          id: z.string().describe('The id of the change.'),
          at: isoTimeSchema.describe('When it was made.'),
          action: z.string().describe('What was done, such as `me.wallet.create`.'),
          keyId: z.string().nullable().describe('Null if the service itself or an operator made the change.'),
          userId: z.string().nullable().describe('The user of the key; null without a key.'),
          targetId: z.string().describe('The id of what was changed.'),
        }),
      )
      .describe('Newest first.'),
    pagination: paginationSchema,
  }),
  async handle({ query, caller, signal }, { store, tables }) {
    await tables.awaitRows({ topics: [auditTopic], key: caller.orgId }, signal);
    const { entries, nextCursor } = await readAuditLog(store, caller, query.limit, query.cursor ?? null);
    return {
      entries: entries.map((entry) => ({ ...entry, at: isoTime(entry.at) })),
      pagination: toPagination(nextCursor),
    };
  },
});
