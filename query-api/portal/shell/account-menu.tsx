import { isPaused, switchPause } from '../live/activity.ts';
import { openDialog } from './dialogs.tsx';
import { session, signOut } from './session.ts';
import { isUtc, switchTheme, switchTimes, theme } from './theme.ts';

export function AccountMenu() {
  const account = session.value;
  return (
    <div class="account">
      <button type="button" data-action="pause" title="Pause live updates (.)" onClick={switchPause}>
        {isPaused.value ? 'Resume' : 'Pause'}
      </button>
      <button type="button" data-action="times" title="Times in UTC or local time (u)" onClick={switchTimes}>
        {isUtc.value ? 'UTC' : 'Local'}
      </button>
      <button type="button" data-action="theme" title="Dark or light (t)" onClick={switchTheme}>
        {theme.value === 'dark' ? 'Light' : 'Dark'}
      </button>
      <button
        type="button"
        data-action="help"
        aria-haspopup="dialog"
        title="Keys (?)"
        onClick={() => openDialog('help')}
      >
        Help
      </button>
      {account && (
        <button
          type="button"
          data-action="sign-out"
          title={`Signed in as ${account.userId}`}
          onClick={() => void signOut()}
        >
          Sign out
        </button>
      )}
    </div>
  );
}
