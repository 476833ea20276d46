/** The names of all channels of a kind as one address with `{parameters}`, and what each parameter is. */
import { TRADE_CHANNEL_PROVIDERS } from '../domain/providers.ts';
import { ANOMALY_CHANNEL_KINDS, type ChannelName } from './channel.ts';
import type { ALL_KINDS } from './channel-kinds.ts';
import { formatChannel } from './channel-names.ts';

export type AnyKind = (typeof ALL_KINDS)[number];
type FieldOf<N> = N extends unknown ? Exclude<keyof N, 'kind'> : never;
export type AddressParameter = FieldOf<ChannelName>;

/** Parameters of addresses. */
export const ADDRESS_PARAMETERS: Readonly<
  Record<AddressParameter, { readonly description: string; readonly values?: readonly string[] }>
> = {
  universalId: { description: 'Id of a universal event, `evt_<id>`, as `GET /v1/events` returns it.' },
  provider: { description: 'A provider.', values: TRADE_CHANNEL_PROVIDERS },
  orgId: { description: 'Id of the organization of the key.' },
  anomalyKind: { description: 'A kind of anomaly.', values: ANOMALY_CHANNEL_KINDS },
  instrument: { description: 'A coin, token or ticker, spelled as the venue does.' },
};

/** Name of a kind in documents: unique, and usable in a URL. */
export function nameOfKind({ example }: AnyKind): string {
  if (example.kind !== 'raw') return example.kind;
  return example.instrument === '*' ? `${example.provider}_all` : example.provider;
}

/** The parts of the names of a kind that differ between its channels. */
export function parametersOfKind({ example }: AnyKind): AddressParameter[] {
  if (example.kind === 'raw') return example.instrument === '*' ? [] : ['instrument'];
  return Object.keys(example).filter((field) => field !== 'kind') as AddressParameter[];
}

/** For example `svc:stream:event:{universalId}`. */
export function addressOfKind(kind: AnyKind): string {
  return formatChannel(withPlaceholders(kind));
}

/** The REST path that fills a gap, for example `/v1/events/{universalId}/spread`; null where there is none. */
export function refillOfKind(kind: AnyKind): string | null {
  return kind.refillPath?.(withPlaceholders(kind)) ?? null;
}

function withPlaceholders(kind: AnyKind): ChannelName {
  const placeholders = parametersOfKind(kind).map((name) => [name, `{${name}}`]);
  return { ...kind.example, ...Object.fromEntries(placeholders) };
}
