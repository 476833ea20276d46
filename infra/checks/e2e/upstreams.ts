import { SETTINGS } from '../../config/settings.ts';
import type { Simulator } from '../../simulator/start-simulator.ts';

/** Settings that point a service at a simulator, under the names of their variables. */
export function upstreams({ urls }: Simulator): Record<string, string> {
  return Object.fromEntries(
    Object.entries(urls).map(([name, url]) => [SETTINGS[name as keyof typeof urls].variable, url as string]),
  );
}
