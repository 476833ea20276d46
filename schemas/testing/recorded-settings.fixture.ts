import { RECORDED_SETTING_ENTRIES, type RecordedSettings } from '../domain/recorded-settings.ts';

/** The defaults of the settings that change figures. */
export const DEFAULT_SETTINGS = Object.fromEntries(
  RECORDED_SETTING_ENTRIES.map(([name, { fallback }]) => [name, fallback]),
) as unknown as RecordedSettings;
