import type { FastifyRequest } from 'fastify';

const noted = new WeakMap<FastifyRequest, string>();

/** Notes the declared path of a request that no route serves. */
export function noteRoute(request: FastifyRequest, path: string): void {
  noted.set(request, path);
}

/** The declared path of a request, not the requested one: the number of label values must stay small. */
export function routeLabel(request: FastifyRequest): string {
  return request.routeOptions.url ?? noted.get(request) ?? 'unknown';
}
