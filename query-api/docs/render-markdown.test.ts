import { describe, expect, it } from 'vitest';
import { renderMarkdown } from './render-markdown.ts';

const render = (markdown: string, names: Record<string, string> = {}) =>
  renderMarkdown(markdown, (name) => names[name] ?? null);

describe('Markdown', () => {
  it.each([
    '<script>alert(1)</script>',
    'a <b onclick="x()">bold</b> text',
    '<!-- a comment -->',
    '![an image](https://example.com/x.png)',
    '[a link](javascript:alert(1))',
    '[a link](//example.com/x)',
    '[a link](data:text/html,x)',
    '| <img src=x onerror=y()> |\n|---|\n| `<b>` |',
    '```"><script>\n</code></pre><script>\n```',
    '# <img src=x onerror=y()>',
  ])('renders %j without an element or link of its own', (markdown) => {
    const { html } = render(markdown);
    expect(html).not.toMatch(/<(script|img|b|!--)|\son\w+="|href/);
  });

  it('gives headings ids as GitHub does, and lists them', () => {
    const { html, headings } = render('# The *first* `part`, of 2\n\n## Again\n\n## Again\n');
    expect(headings.map(({ id, depth }) => [id, depth])).toEqual([
      ['the-first-part-of-2', 1],
      ['again', 2],
      ['again-1', 2],
    ]);
    expect(html).toContain('<h1 id="the-first-part-of-2">The <em>first</em> <code>part</code>, of 2</h1>');
  });

  it('leads from the name of a page in code to the page, except within a link', () => {
    const names = { 'docs/glossary.md': '/docs/glossary' };
    expect(render('see `docs/glossary.md`', names).html).toContain(
      '<a href="/docs/glossary"><code>docs/glossary.md</code></a>',
    );
    expect(render('[see `docs/glossary.md`](#x)', names).html).toContain(
      '<a href="#x">see <code>docs/glossary.md</code></a>',
    );
    expect(render('`docs/other`', names).html).not.toContain('href');
  });

  it('leads from a file of the same folder to its page', () => {
    expect(render('[words](glossary.md#figures)').html).toContain('<a href="/docs/glossary#figures">words</a>');
  });

  it('names the column in each cell of a table of three columns or more, which phones show as cards', () => {
    const { html } = render('| a | `b"` | c |\n|---|---|---|\n| 1 | 2 | 3 |');
    expect(html).toContain('<table class="cards">');
    expect(html).toContain('<td>1</td><td data-label="b&quot;">2</td><td data-label="c">3</td>');
    expect(render('| a | b |\n|---|---|\n| 1 | 2 |').html).toContain('<td>1</td><td>2</td>');
  });

  it('puts tables and code into parts that scroll, which the keyboard reaches', () => {
    expect(render('| a |\n|---|\n| b |').html).toContain(
      '<div class="scroll" role="group" aria-label="Table" tabindex="0">',
    );
    expect(render('```sh\nls\n```').html).toContain('<pre tabindex="0"><code class="language-sh">ls</code></pre>');
  });
});
