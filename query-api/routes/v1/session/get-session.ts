import { z } from 'zod';
import { PLANS, SCOPES } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { streamUrlFor } from '../../../http/stream-url.ts';
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
    orgId: z.string().describe('The organization.'),
    keyId: z.string().describe('The key that the session was opened with.'),
    userId: z.string().describe('The user of the key.'),
    scopes: z.array(z.enum(SCOPES)).describe('What the key allows.'),
    sandbox: z.boolean().describe('True for a key of the sandbox.'),
    plan: z.enum(PLANS).describe('The plan of the organization.'),
    expiresAt: isoTimeSchema.describe('When the session ends.'),
    csrf: z
      .string()
      .describe('Value of the header X-Parallax-Csrf, and of the subprotocol csrf.<value> of a WebSocket.'),
    streamUrl: z.string().nullable().describe('URL of the stream; null if the service does not know its port.'),
  }),
  handle({ caller, host, isSecure }, { stream }) {
    const { orgId, keyId, userId, scopes, sandbox, plan, session } = caller;
    if (!session) throw new ApiError('not_found', 'the request has no session');
    const streamUrl = streamUrlFor(stream, { host, isSecure });
    const expiresAt = isoTime(session.expiresAt);
    return { orgId, keyId, userId, scopes: [...scopes], sandbox, plan, expiresAt, csrf: session.csrf, streamUrl };
  },
});
