/** The units that a successful response counts against (specification, Limits 3; contract, REST). */
export const SKUS = ['markets.read', 'api.request', 'portfolio.read', 'pnl.read', 'ws.message'] as const;
export type Sku = (typeof SKUS)[number];

/** The SKUs of REST responses; `ws.message` counts event frames. */
export type RestSku = Exclude<Sku, 'ws.message'>;
