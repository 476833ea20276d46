/** The kinds of channels, as `/asyncapi.json` declares them. */

export interface ChannelParameter {
  readonly name: string;
  readonly description: string;
  /** Every value that it can have; null for any text. */
  readonly values: readonly string[] | null;
}

export interface ChannelKind {
  readonly name: string;
  readonly summary: string;
  /** For example `svc:stream:event:{universalId}`. */
  readonly address: string;
  readonly parameters: readonly ChannelParameter[];
  /** False if nothing writes its events yet. */
  readonly isDelivering: boolean;
}

export interface AsyncApi {
  readonly channels: Readonly<
    Record<
      string,
      {
        readonly address: string;
        readonly summary: string;
        readonly parameters?: Readonly<Record<string, { readonly description: string; readonly enum?: string[] }>>;
        readonly 'x-delivering'?: boolean;
      }
    >
  >;
}

/** Every kind that can be subscribed to. The connection itself is a channel of the document, but has no such mark. */
export function kindsOf({ channels }: AsyncApi): ChannelKind[] {
  return Object.entries(channels).flatMap(([name, channel]) => {
    const isDelivering = channel['x-delivering'];
    if (isDelivering === undefined) return [];
    const parameters = Object.entries(channel.parameters ?? {}).map(([parameter, { description, enum: values }]) => ({
      name: parameter,
      description,
      values: values ?? null,
    }));
    return [{ name, summary: channel.summary.replaceAll('`', ''), address: channel.address, parameters, isDelivering }];
  });
}

/** The name of a channel, with each parameter of the address replaced; null while one is missing. */
export function nameOf({ address, parameters }: ChannelKind, values: Readonly<Record<string, string>>): string | null {
  if (parameters.some(({ name }) => !values[name])) return null;
  return address.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}
