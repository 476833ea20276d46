import { type Setting, settingNames } from './declare.ts';

/** Renders the text of `--help` from the declarations. */
export function settingsHelp(declarations: Readonly<Record<string, Setting<unknown>>>): string {
  const lines = Object.values(declarations).map((setting) => {
    const fallback = setting.fallback === null ? 'none' : setting.fallback;
    return `  ${settingNames(setting).join(', ')}\n      ${setting.description}\n      Accepted: ${setting.accepts}. Default: ${fallback}.`;
  });
  return lines.join('\n');
}

/** Renders the README's table of settings from the declarations. */
export function settingsTable(declarations: Readonly<Record<string, Setting<unknown>>>): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const rows = Object.values(declarations).map((setting) => {
    const names = settingNames(setting).map((name) => `\`${name}\``);
    const fallback = setting.fallback === null ? 'none' : `\`${setting.fallback}\``;
    return `| ${names.join(', ')} | ${cell(fallback)} | ${cell(setting.accepts)} | ${cell(setting.description)} |`;
  });
  return ['| setting | default | accepted | meaning |', '|---|---|---|---|', ...rows].join('\n');
}
