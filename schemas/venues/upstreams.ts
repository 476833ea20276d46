/** The URLs of all venues, by the settings that change them. */
import { DECLARATIONS } from './index.ts';
import type { StreamDeclaration, Upstream, VenueDeclaration } from './venue.ts';

type Declaration = (typeof DECLARATIONS)[number];
/** The declared streams with their source, which is their name in recordings. */
type Sources<D> = D extends { readonly venue: infer V extends string; readonly streams: readonly (infer S)[] }
  ? S extends { readonly stream: infer N extends string }
    ? S & { readonly source: `${V}.${N}` }
    : never
  : never;
type Source = Sources<Declaration>;
type With<P extends 'http' | 'ws'> = Source extends infer S
  ? S extends { readonly source: infer N; readonly upstream: { readonly protocols: readonly (infer Q)[] } }
    ? P extends Q
      ? N
      : never
    : never
  : never;

/** The setting of an upstream. */
export type UpstreamSetting = Extract<Source, { readonly upstream: unknown }>['upstream']['setting'];

const streams: readonly (StreamDeclaration & { readonly source: string })[] = (
  DECLARATIONS as readonly VenueDeclaration[]
).flatMap(({ venue, streams: own = [] }) => own.map((stream) => ({ ...stream, source: `${venue}.${stream.stream}` })));

/** An upstream, with its setting and the stream that it serves. */
export interface DeclaredUpstream extends Upstream {
  readonly setting: UpstreamSetting;
  /** `<venue>.<stream>`. */
  readonly source: string;
}

/** Every upstream, by its setting. */
export const UPSTREAMS = Object.fromEntries(
  streams.flatMap(({ source, upstream }) => (upstream ? [[upstream.setting, { ...upstream, source }]] : [])),
) as Record<UpstreamSetting, DeclaredUpstream>;

/** The interface `<venue>.<stream>` of an upstream with sockets. */
export type SocketSource = With<'ws'>;
export const SOCKET_SOURCES = sourcesWith('ws') as readonly SocketSource[];

/** The interface `<venue>.<stream>` of an upstream that answers requests. */
export type HttpSource = With<'http'>;
export const HTTP_SOURCES = sourcesWith('http') as readonly HttpSource[];

function sourcesWith(protocol: 'http' | 'ws'): string[] {
  return streams.filter(({ upstream }) => upstream?.protocols.includes(protocol)).map(({ source }) => source);
}
