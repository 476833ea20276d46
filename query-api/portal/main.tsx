import { options, render } from 'preact';
import { startStream } from './live/stream.ts';
import { App } from './shell/app.tsx';
import { startKeyboard } from './shell/keyboard.ts';
import { startRouter } from './shell/router.ts';
import { startTheme } from './shell/theme.ts';

// At most one redraw a frame, and none while the tab is hidden.
options.debounceRendering = (redraw) => void requestAnimationFrame(redraw);
startRouter();
startTheme();
startKeyboard();
startStream();
render(<App />, document.getElementById('portal')!);
