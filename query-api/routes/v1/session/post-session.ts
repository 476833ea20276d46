import { z } from 'zod';
import { openSession } from '#schemas/domain/control/commands/open-session';
import { ApiError } from '#schemas/errors';
import { digestOf, mintCookie, setCookie } from '../../../http/session-cookie.ts';
import { Answer, defineOwnRoute } from '../../route.ts';

export const postSession = defineOwnRoute({
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
    // Else a session could be made longer for ever without anyone showing the token again.
    if (caller.session) throw new ApiError('unauthenticated', 'signing in needs the token; send "Bearer <API key>"');
    const cookie = mintCookie();
    const { replayed } = await command(openSession, { digest: digestOf(cookie) });
    return new Answer(204, null, replayed ? [] : ['set-cookie', setCookie(cookie, host)]);
  },
});
