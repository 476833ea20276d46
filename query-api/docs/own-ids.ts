/** Parameters of paths that are ids of the reader's own world: a script takes them from a list of the service. */

export interface OwnIds {
  /** The route that lists them. */
  readonly list: string;
  /** The list in its response, and the id in a row. */
  readonly rows: string;
  readonly field: string;
}

const OWN_IDS: readonly (readonly [prefix: string, ids: OwnIds])[] = [
  ['/v1/me/wallets/{id}', { list: '/v1/me/wallets', rows: 'wallets', field: 'id' }],
  ['/v1/me/platform-attributions/{id}', { list: '/v1/me/platform-attributions', rows: 'attributions', field: 'id' }],
  ['/v1/webhooks/{id}', { list: '/v1/webhooks', rows: 'webhooks', field: 'id' }],
  ['/v1/organizations/{id}', { list: '/v1/organizations', rows: 'organizations', field: 'id' }],
  ['/keys/{id}', { list: '/keys', rows: 'keys', field: 'id' }],
  ['/v1/events/{universalId}', { list: '/v1/events?limit=1', rows: 'events', field: 'universalId' }],
];

/** Where the ids of a parameter are listed; null if any service has the value of the example. */
export function ownIdsOf(path: string, parameter: string): OwnIds | null {
  const found = OWN_IDS.find(([prefix, { field }]) => parameter === field && `${path}/`.startsWith(`${prefix}/`));
  return found?.[1] ?? null;
}
