/** The session of the cookie. Scripts hold only its CSRF value, in memory. */
import { signal } from '@preact/signals';
import { onSessionLost, request } from '../live/api.ts';
import { ApiFault } from '../live/api-fault.ts';
import { closeStream, openStream } from '../live/stream.ts';
import { HOME, hrefTo, isPortalPath, navigate, place } from './router.ts';
import { showsOtherData } from './session-change.ts';

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
/** Why the session could not be ended; null otherwise. */
export const signOutFault = signal<ApiFault | null>(null);

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
  await accept(found);
  connect(found);
}

/** Makes it the session of the pages. If they show data of another one, the portal is loaded anew instead. */
async function accept(found: Session): Promise<void> {
  if (showsOtherData(session.peek(), found)) {
    closeStream();
    if (place.peek().path === LOGIN) location.assign(hrefTo(pageAfterSignIn()));
    else location.reload();
    // Nothing that waits for the session may go on: it would be sent with the other key.
    await new Promise<never>(() => {});
  }
  session.value = found;
}

function connect(account: Session): void {
  // Otherwise pages read by REST alone.
  if (account.streamUrl !== null && maySubscribe(account)) openStream(account.streamUrl, account.csrf, renewSession);
  else closeStream();
}

/** Reads the session again, after signing in again if it has ended; resolves with its CSRF value. */
async function renewSession(): Promise<string> {
  const renewed = await request<Session>('/v1/session');
  await accept(renewed);
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

/** The page that the sign-in was requested for; anything but a path of the portal is ignored. */
function pageAfterSignIn(): string {
  const next = place.peek().query.get('next');
  return next !== null && isPortalPath(next) ? next : HOME;
}

export function continueAfterSignIn(): void {
  navigate(pageAfterSignIn());
}

/**
 * Ends the session, and loads the sign-in page anew, so that nothing of the session is left in memory. If the session
 * cannot be ended, `signOutFault` says why, and the page goes on.
 */
export async function signOut(): Promise<void> {
  const account = session.peek();
  signOutFault.value = null;
  // The service would close the connection, and the page ask to sign in again.
  closeStream();
  try {
    await request('/v1/session', { method: 'DELETE', isSignIn: true });
  } catch (fault) {
    if (!(fault instanceof ApiFault)) throw fault;
    // A session that has ended already needs no end.
    if (fault.status !== 401) {
      signOutFault.value = fault;
      if (account) connect(account);
      return;
    }
  }
  location.assign(hrefTo(LOGIN));
}
