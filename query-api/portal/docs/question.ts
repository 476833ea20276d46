/** Questions before requests of the try-it form that delete or stop something; pure. */

/** Returns the question to ask before a request is sent; null if it is sent at once. */
export function questionBefore(method: string, path: string, body: unknown): string | null {
  const what = `${method} ${path}`;
  if (method === 'DELETE') return `Send ${what}? This cannot be undone.`;
  if (method === 'POST' && /^\/v1\/webhooks\/[^/]+\/secret$/.test(path))
    return `Send ${what}? The webhook gets a new secret. The current one also signs for another 24 hours.`;
  const { suspended, enabled } = (body ?? {}) as { readonly suspended?: unknown; readonly enabled?: unknown };
  if (method === 'PATCH' && suspended === true) return `Send ${what}? The keys of the organization are refused then.`;
  if (method === 'PATCH' && enabled === false) return `Send ${what}? Nothing is sent to the webhook any more then.`;
  return null;
}
