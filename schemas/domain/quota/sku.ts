/** What a success counts against (specification, Limits 3; the contract, REST). */
export const SKUS = ['markets.read', 'api.request', 'portfolio.read', 'pnl.read', 'ws.message'] as const;
export type Sku = (typeof SKUS)[number];

/** What a REST answer counts against; `ws.message` counts event frames. */
export type RestSku = Exclude<Sku, 'ws.message'>;
