/** A page of the documents. Every page is Markdown: its HTML is rendered from it, and it is served as it is under `.md`. */

import type { Heading } from './render-markdown.ts';

export const GROUPS = ['Start', 'API', 'Figures', 'Operation', 'Development'] as const;
export type PageGroup = (typeof GROUPS)[number];

export interface DocPage {
  /** For example `/docs/rest`. */
  readonly path: string;
  readonly title: string;
  /** One sentence. */
  readonly summary: string;
  readonly group: PageGroup;
  /** Path of the page that lists this one; left out for pages of the navigation. */
  readonly parent?: string;
  /** The text, which begins with the heading. */
  readonly markdown: () => string;
  /** HTML after the text, which is no part of the Markdown: a form. */
  readonly form?: () => { readonly html: string; readonly heading: Heading };
  /** Texts in code that mean this page wherever they occur, such as `GET /v1/events`. */
  readonly names?: readonly string[];
}

/** A table in Markdown. Cells may contain Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  ].join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A list of pages with what each is about. */
export function listOf(pages: readonly DocPage[]): string {
  return pages.map(({ path, title, summary }) => `- [${title}](${path}): ${summary}`).join('\n');
}

/** Code in Markdown, in a block. */
export function code(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** A text of paragraphs, tables and blocks. */
export function text(...parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}
