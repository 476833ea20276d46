/** Opens pages of a service's portal that are signed in already. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

const TIMEOUT_MS = 30_000;

export interface PortalService {
  readonly restUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Opens an empty page in a context of its own, whose cookie `POST /v1/session` has set as for the sign-in page. */
export async function openSignedIn(
  browser: Browser,
  { restUrl, headers }: PortalService,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ ...options, baseURL: restUrl });
  context.setDefaultTimeout(TIMEOUT_MS);
  const response = await context.request.post('/v1/session', { headers: { ...headers } });
  if (!response.ok()) throw new Error(`POST /v1/session: ${response.status()} ${await response.text()}`);
  return context.newPage();
}
