/** `/llms.txt` and `/llms-full.txt` (https://llmstxt.org): the pages for language models. */
import { type DocPage, GROUPS } from './page.ts';
import { ABOUT } from './pages.ts';

export function llmsText(pages: readonly DocPage[]): string {
  const sections = GROUPS.map((group) => {
    const lines = pages
      .filter((page) => page.group === group)
      .map(({ path, title, summary }) => `- [${title}](${path}.md): ${summary}`);
    return `## ${group}\n\n${lines.join('\n')}\n`;
  });
  return `# Parallax\n\n> ${ABOUT}\n\n${sections.join('\n')}`;
}

export function llmsFullText(pages: readonly DocPage[]): string {
  return pages.map(({ path, markdown }) => `<!-- ${path} -->\n\n${markdown().trim()}\n`).join('\n');
}
