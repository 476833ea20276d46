import type { Setting } from './declare.ts';

/** Renders the text of `--help` from the declarations. */
export function settingsHelp(declarations: Readonly<Record<string, Setting<unknown>>>): string {
  const lines = Object.values(declarations).map((setting) => {
    const names = [setting.flag ? `--${setting.flag}` : null, setting.variable].filter(Boolean).join(', ');
    const fallback = setting.fallback === null ? 'none' : setting.fallback;
    return `  ${names}\n      ${setting.description}\n      Accepted: ${setting.accepts}. Default: ${fallback}.`;
  });
  return lines.join('\n');
}

/** Renders the README's table of settings from the declarations. */
export function settingsTable(declarations: Readonly<Record<string, Setting<unknown>>>): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const rows = Object.values(declarations).map((setting) => {
    const names = [setting.flag ? `\`--${setting.flag}\`` : null, `\`${setting.variable}\``].filter(Boolean).join(', ');
    const fallback = setting.fallback === null ? 'none' : `\`${setting.fallback}\``;
    return `| ${names} | ${cell(fallback)} | ${cell(setting.accepts)} | ${cell(setting.description)} |`;
  });
  return ['| setting | default | accepted | meaning |', '|---|---|---|---|', ...rows].join('\n');
}
