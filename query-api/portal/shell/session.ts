/** The session of the cookie. Scripts hold only its CSRF value, in memory. */
import { signal } from '@preact/signals';
import { onSessionLost, request } from '../live/api.ts';
import { ApiFault } from '../live/api-fault.ts';
import { closeStream, openStream } from '../live/stream.ts';
import { HOME, hrefTo, isPortalPath, navigate, place } from './router.ts';

export const LOGIN = '/portal/login';

export interface Session {
  readonly orgId: string;
  readonly keyId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly sandbox: boolean;
  readonly plan: string;
  readonly expiresAt: string;
  readonly csrf: string;
  readonly streamUrl: string | null;
}

/** True if channels may be subscribed with the session. */
export function maySubscribe({ scopes, sandbox }: Session): boolean {
  return !sandbox && (scopes.includes('stream') || scopes.includes('admin'));
}

/** Undefined until it is known; null without a session. */
export const session = signal<Session | null | undefined>(undefined);
/** Why the session cannot be read, such as while the service starts. */
export const sessionFault = signal<ApiFault | null>(null);
/** True while the dialog asks to sign in again over the page. */
export const isSessionLost = signal(false);

let whenSignedIn: { readonly promise: Promise<void>; readonly resolve: () => void } | null = null;

/** Reads the session. Without one, the sign-in page opens and leads back here afterwards. */
export function loadSession(): void {
  sessionFault.value = null;
  readSession().catch((fault: unknown) => {
    if (!(fault instanceof ApiFault)) throw fault;
    if (fault.status !== 401) {
      sessionFault.value = fault;
      return;
    }
    openLogin(place.peek().path + location.search);
    session.value = null;
  });
}

async function readSession(): Promise<void> {
  const found = await request<Session>('/v1/session', { isSignIn: true });
  session.value = found;
  // Otherwise pages read by REST alone.
  if (found.streamUrl !== null && maySubscribe(found)) openStream(found.streamUrl, found.csrf, renewSession);
  else closeStream();
}

/** Reads the session again, after signing in again if it has ended; resolves with its CSRF value. */
async function renewSession(): Promise<string> {
  const renewed = await request<Session>('/v1/session');
  session.value = renewed;
  return renewed.csrf;
}

/** Opens the dialog that asks for a token again. Resolves once it was accepted, so that the page goes on. */
function waitForSignIn(): Promise<void> {
  // Without a session at the start, the sign-in page is opened instead, and what the page requested is dropped.
  if (!session.value) return new Promise(() => {});
  if (whenSignedIn === null) {
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    whenSignedIn = { promise, resolve };
    isSessionLost.value = true;
  }
  return whenSignedIn.promise;
}

onSessionLost(waitForSignIn);

function openLogin(next: string): void {
  navigate(next === HOME ? LOGIN : `${LOGIN}?next=${encodeURIComponent(next)}`);
}

/** Exchanges a token for the cookie. The token is sent once and held nowhere. */
export async function signIn(token: string): Promise<void> {
  await request('/v1/session', { method: 'POST', token, isSignIn: true });
  await readSession();
  sessionFault.value = null;
  isSessionLost.value = false;
  whenSignedIn?.resolve();
  whenSignedIn = null;
}

/** Opens the page that the sign-in was requested for; anything but a path of the portal is ignored. */
export function continueAfterSignIn(): void {
  const next = place.value.query.get('next');
  navigate(next !== null && isPortalPath(next) ? next : HOME);
}

/** Ends the session, and loads the sign-in page anew, so that nothing of the session is left in memory. */
export async function signOut(): Promise<void> {
  closeStream();
  try {
    await request('/v1/session', { method: 'DELETE', isSignIn: true });
  } catch (fault) {
    // A session that has ended already needs no end.
    if (!(fault instanceof ApiFault) || fault.status !== 401) throw fault;
  }
  location.assign(hrefTo(LOGIN));
}
