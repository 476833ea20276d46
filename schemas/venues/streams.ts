/** The streams of all venues, and the URLs that they are read from. */
import { DECLARATIONS, type Declaration } from './index.ts';
import type { StreamDeclaration, Upstream } from './venue.ts';

/** A stream with its source `<venue>.<stream>`, which is its name in recordings. */
export type DeclaredStream = StreamDeclaration & { readonly source: string };
export const STREAMS: readonly DeclaredStream[] = DECLARATIONS.flatMap(({ venue, streams = [] }) =>
  streams.map((stream) => ({ ...stream, source: `${venue}.${stream.stream}` })),
);

/** The declared streams as a union of literal types. */
type Stream = StreamsOf<Declaration>;
type StreamsOf<D> = D extends { readonly venue: infer V extends string; readonly streams: readonly (infer S)[] }
  ? S extends { readonly stream: infer N extends string }
    ? S & { readonly venue: V; readonly source: `${V}.${N}` }
    : never
  : never;
/** The sources of the streams with a URL of a protocol. */
type SourceWith<P extends 'http' | 'ws', S = Stream> = S extends {
  readonly source: infer N;
  readonly upstream: { readonly protocols: readonly (infer Q)[] };
}
  ? P extends Q
    ? N
    : never
  : never;

/** Names of the streams of a venue. */
export type StreamOf<V> = Extract<Stream, { readonly venue: V }>['stream'];

/** The setting of an upstream. */
export type UpstreamSetting = Extract<Stream, { readonly upstream: unknown }>['upstream']['setting'];

/** An upstream, with its setting and the stream that it serves. */
export interface DeclaredUpstream extends Upstream {
  readonly setting: UpstreamSetting;
  /** `<venue>.<stream>`. */
  readonly source: string;
}

/** Every upstream, by its setting. */
export const UPSTREAMS = Object.fromEntries(
  STREAMS.flatMap(({ source, upstream }) => (upstream ? [[upstream.setting, { ...upstream, source }]] : [])),
) as Record<UpstreamSetting, DeclaredUpstream>;

/** The interface `<venue>.<stream>` of an upstream with sockets. */
export type SocketSource = SourceWith<'ws'>;
export const SOCKET_SOURCES = sourcesWith('ws') as readonly SocketSource[];

/** The interface `<venue>.<stream>` of an upstream that answers requests. */
export type HttpSource = SourceWith<'http'>;
export const HTTP_SOURCES = sourcesWith('http') as readonly HttpSource[];

function sourcesWith(protocol: 'http' | 'ws'): string[] {
  return STREAMS.filter(({ upstream }) => upstream?.protocols.includes(protocol)).map(({ source }) => source);
}
