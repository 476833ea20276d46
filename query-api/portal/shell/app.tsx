import { useSignalEffect } from '@preact/signals';
import { SignIn } from '../pages/login.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Banners } from './banners.tsx';
import { Connection } from './connection.tsx';
import { Dialogs } from './dialogs.tsx';
import { Navigation } from './navigation.tsx';
import { PageView } from './page-view.tsx';
import { place } from './router.ts';
import { LOGIN, loadSession, session } from './session.ts';

export function App() {
  useSignalEffect(() => {
    document.documentElement.dataset.times = place.value.query.get('times') ?? 'utc';
  });
  useSignalEffect(() => {
    if (place.value.path !== LOGIN && !session.value) loadSession();
  });
  if (place.value.path === LOGIN) return <SignIn />;
  // Without a session the sign-in page is about to open.
  if (session.value === null) return null;
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="header">
        <Navigation />
        <Connection />
        <AccountMenu />
      </header>
      <div class="content">
        <Banners />
        <PageView />
      </div>
      <Dialogs />
    </div>
  );
}
