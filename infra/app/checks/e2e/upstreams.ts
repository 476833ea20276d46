import { SETTINGS } from '../../../config/settings.ts';
import type { Simulator } from '../../simulator/start-simulator.ts';

/** Environment variables that point a service at a simulator. */
export function upstreams({ urls }: Simulator): Record<string, string> {
  return Object.fromEntries(
    Object.entries(urls).map(([name, url]) => [SETTINGS[name as keyof typeof urls].variable, url as string]),
  );
}
