import { z } from 'zod';
import { digestOf, mintCookie, setCookie } from '#infra/control/session-cookie';
import { openSession } from '#schemas/domain/control/commands/open-session';
import { ApiError } from '#schemas/errors';
import { CustomResponse, defineCallerRoute } from '../../route.ts';

export const postSession = defineCallerRoute({
  method: 'POST',
  path: '/v1/session',
  scope: 'any',
  sku: null,
  status: 204,
  creates: true,
  summary: 'Signs in to the portal with a token: sets the cookie plx_session for 12 hours.',
  params: z.object({}),
  query: z.object({}),
  response: z.null(),
  async handle({ caller, command, host }) {
    // Otherwise a session could be extended forever without presenting the token again.
    if (caller.session) throw new ApiError('unauthenticated', 'signing in requires the token; send "Bearer <API key>"');
    const cookie = mintCookie();
    const { replayed } = await command(openSession, { digest: digestOf(cookie) });
    return new CustomResponse(204, null, replayed ? [] : ['set-cookie', setCookie(cookie, host)]);
  },
});
