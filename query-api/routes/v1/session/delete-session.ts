import { z } from 'zod';
import { setCookie } from '#infra/control/session-cookie';
import { closeSession } from '#schemas/domain/control/commands/close-session';
import { ApiError } from '#schemas/errors';
import { CustomResponse, defineCallerRoute } from '../../route.ts';

export const deleteSession = defineCallerRoute({
  method: 'DELETE',
  path: '/v1/session',
  scope: 'any',
  sku: null,
  status: 204,
  summary: 'Signs out: ends the session of the cookie.',
  params: z.object({}),
  query: z.object({}),
  response: z.null(),
  async handle({ caller, command, host }) {
    if (!caller.session) throw new ApiError('not_found', 'the request has no session');
    const { result } = await command(closeSession, { digest: caller.session.digest });
    return new CustomResponse(204, result, ['set-cookie', setCookie(null, host)]);
  },
});
