/** Serves the documents: pages as HTML and as Markdown, without a token (contract, Documents). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EncodedBody } from '../http/encodings.ts';
import type { ErrorSender } from '../http/errors.ts';
import type { HeaderList, Sender } from '../http/send.ts';
import { requestedAddress } from '../http/stream-url.ts';
import { matchesTag } from '../http/validators.ts';
import { originOf, pageHeaders } from '../pages/page-headers.ts';
import type { PortalOptions } from '../pages/serve-portal.ts';
import type { Route } from '../routes/route.ts';
import { DocSite } from './site.ts';

const SEARCH = '/docs/search';
/** Where the form of a channel learns the URL of the stream, which depends on the request, as pages do not. */
const STREAM_URL = '/docs/stream-url.json';
const QUERY_MAX = 100;
const PATHS = ['/docs', '/docs.md', '/docs/*', '/llms.txt', '/llms-full.txt'];
const NO_CACHE: HeaderList = ['cache-control', 'no-cache'];

/** Adds the routes of the documents, and returns them, since other methods are refused there. */
export function serveDocs(
  app: FastifyInstance,
  { files, streamUrlOf }: PortalOptions,
  {
    routes,
    sender,
    errors,
  }: { readonly routes: readonly Route[]; readonly sender: Sender; readonly errors: ErrorSender },
): { readonly path: string; readonly method: string }[] {
  const site = new DocSite(routes, files.docs);
  const streamUrlFor = (request: FastifyRequest) => streamUrlOf(requestedAddress(request));
  const headersFor = (request: FastifyRequest): HeaderList => pageHeaders(originOf(streamUrlFor(request) ?? ''));
  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    body: EncodedBody,
    cache: HeaderList = NO_CACHE,
  ) => {
    sender
      .encoded(request, reply, status, body, [...cache, ...headersFor(request)])
      ?.catch((fault: unknown) => errors.send(request, reply, fault));
  };
  const serve = (request: FastifyRequest, reply: FastifyReply) => {
    const [path] = request.url.split('?', 1) as [string];
    if (path === SEARCH) return send(request, reply, 200, site.search(queryOf(request)));
    if (path === STREAM_URL) return send(request, reply, 200, streamUrlBody(streamUrlFor(request)));
    const document = site.find(path.replace(/\/$/, ''));
    if (document === null) return send(request, reply, 404, site.missing());
    const cache = [...NO_CACHE, 'etag', document.etag];
    if (matchesTag(request.headers['if-none-match'], document))
      sender.notModified(request, reply, [...cache, ...headersFor(request)]);
    else send(request, reply, 200, document.body, cache);
  };
  for (const path of PATHS) app.get(path, serve);
  return PATHS.map((path) => ({ path, method: 'GET' }));
}

function streamUrlBody(streamUrl: string | null): EncodedBody {
  return new EncodedBody(Buffer.from(JSON.stringify({ streamUrl })));
}

/** The text of `?q=`; the first if there are several. */
function queryOf(request: FastifyRequest): string {
  const { q } = request.query as { readonly q?: string | readonly string[] };
  return String([q ?? ''].flat()[0]).slice(0, QUERY_MAX);
}
