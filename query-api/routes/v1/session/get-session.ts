import { z } from 'zod';
import { PLANS, SCOPES } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { defineCallerRoute } from '../../route.ts';

export const getSession = defineCallerRoute({
  method: 'GET',
  path: '/v1/session',
  scope: 'any',
  sku: null,
  summary: 'The portal session of the cookie, with the value of the header X-Parallax-Csrf that changes require.',
  params: z.object({}),
  query: z.object({}),
  response: z.object({
    orgId: z.string(),
    keyId: z.string(),
    userId: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    sandbox: z.boolean(),
    plan: z.enum(PLANS),
    expiresAt: isoTimeSchema,
    csrf: z.string().describe('Value of the header X-Parallax-Csrf.'),
  }),
  handle({ caller }) {
    const { orgId, keyId, userId, scopes, sandbox, plan, session } = caller;
    if (!session) throw new ApiError('not_found', 'the request has no session');
    const expiresAt = isoTime(session.expiresAt);
    return { orgId, keyId, userId, scopes: [...scopes], sandbox, plan, expiresAt, csrf: session.csrf };
  },
});
