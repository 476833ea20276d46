import { chromium } from 'playwright-core';

const base = process.argv[2],
  token = process.argv[3],
  out = process.argv[4];
const pages = process.argv.slice(5);
const b = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
for (const [w, theme] of [
  [1440, 'dark'],
  [390, 'light'],
]) {
  const c = await b.newContext({ viewport: { width: w, height: w > 800 ? 900 : 844 }, colorScheme: theme });
  const p = await c.newPage();
  p.on('console', (m) => m.type() === 'error' && console.log('console', m.text()));
  await p.goto(base + '/portal/login');
  await p.waitForSelector('[data-form] input');
  await p.fill('[data-form] input', token);
  await p.keyboard.press('Enter');
  await p.waitForSelector('main[data-page=overview]', { timeout: 20000 });
  for (const path of pages) {
    let url = path;
    if (path.includes('{event}')) {
      const id = await p.evaluate(async () => {
        const r = await fetch('/v1/events/board?limit=1');
        return (await r.json()).rows[0].universalId;
      });
      url = path.replace('{event}', id);
    }
    await p.goto(base + url);
    await p
      .waitForFunction(
        () =>
          ['ready', 'empty', 'error', 'forbidden', 'missing'].includes(document.querySelector('main')?.dataset.state),
        null,
        { timeout: 20000 },
      )
      .catch((e) => console.log(url, 'timeout'));
    await p.waitForTimeout(2500);
    await p.screenshot({ path: `${out}/${w}-${path.replace(/[^a-z]/g, '_')}.png`, fullPage: true });
  }
  await c.close();
}
await b.close();
