import { useEffect } from 'preact/hooks';
import { continueAfterSignIn } from '../shell/session.ts';
import { TokenForm } from '../shell/token-form.tsx';

export function SignIn() {
  useEffect(() => {
    document.title = 'Sign in – Parallax';
  }, []);
  return (
    <main id="main" class="login" data-page="login" data-state="ready">
      <div class="panel">
        <h1>Sign in to Parallax</h1>
        <p>
          Use the admin key that <code>npm start</code> printed, or any other key of your organization.
        </p>
        <TokenForm onSignedIn={continueAfterSignIn} />
        <p class="muted">The token is sent once and is not stored in this browser. The session lasts 12 hours.</p>
      </div>
    </main>
  );
}
