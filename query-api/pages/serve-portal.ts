/** Serves the portal: the shell on every path below /portal/, and its assets, which never change under their names. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '#schemas/errors';
import { chooseEncoding } from '../http/encodings.ts';
import type { ErrorSender } from '../http/errors.ts';
import type { HeaderList, Sender } from '../http/send.ts';
import { type RequestedAddress, requestedAddress } from '../http/stream-url.ts';
import { matchesTag } from '../http/validators.ts';
import { originOf, pageHeaders } from './page-headers.ts';
import type { PortalFile, PortalFiles } from './portal-files.ts';

const HOME = '/portal/';
const REDIRECTED = ['/', '/portal'];
const ASSETS = '/portal/assets/:name';
const PAGES = '/portal/*';
const IMMUTABLE = 'public, max-age=31536000, immutable';
const NO_BYTES = Buffer.alloc(0);

export interface PortalOptions {
  readonly files: PortalFiles;
  /** The URL of the WebSocket gateway for a client that requested this address; null if it is unknown. */
  readonly streamUrlOf: (address: RequestedAddress) => string | null;
}

/** Adds the routes of the portal, and returns them, since other methods are refused there. */
export function servePortal(
  app: FastifyInstance,
  { files, streamUrlOf }: PortalOptions,
  { sender, errors }: { readonly sender: Sender; readonly errors: ErrorSender },
): { readonly path: string; readonly method: string }[] {
  const headersFor = (request: FastifyRequest): HeaderList =>
    pageHeaders(originOf(streamUrlOf(requestedAddress(request)) ?? ''));
  const send = (request: FastifyRequest, reply: FastifyReply, file: PortalFile, cache: HeaderList) => {
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    const body = encoding === null ? file.plain : file.compressed[encoding];
    const encoded = encoding === null ? [] : ['content-encoding', encoding];
    const headers = ['vary', 'accept-encoding', ...encoded, ...cache, ...headersFor(request)];
    sender.bytes(request, reply, 200, file.contentType, body, headers);
  };
  for (const path of REDIRECTED)
    app.get(path, (request, reply) => {
      const headers = ['location', HOME, ...headersFor(request)];
      sender.bytes(request, reply, 302, 'text/plain; charset=utf-8', NO_BYTES, headers);
    });
  app.get<{ Params: { name: string } }>(ASSETS, (request, reply) => {
    const file = files.assets.get(request.params.name);
    if (file === undefined) errors.send(request, reply, new ApiError('not_found', 'no asset of this name'));
    else send(request, reply, file, ['cache-control', IMMUTABLE]);
  });
  const shellCache = ['cache-control', 'no-cache', 'etag', files.etag];
  app.get(PAGES, (request, reply) => {
    if (matchesTag(request.headers['if-none-match'], files))
      sender.notModified(request, reply, [...shellCache, ...headersFor(request)]);
    else send(request, reply, files.shell, shellCache);
  });
  return [...REDIRECTED, ASSETS, PAGES].map((path) => ({ path, method: 'GET' }));
}
