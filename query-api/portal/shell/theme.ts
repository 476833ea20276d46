/**
 * What the address chooses for every page: dark or light, unless the system's setting applies; times in UTC or in local
 * time; whether single characters are keys.
 */
import { computed, effect, signal } from '@preact/signals';
import { place, setQuery } from './router.ts';

const system = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(system.matches);

export const theme = computed<'light' | 'dark'>(() => {
  const chosen = place.value.query.get('theme');
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return systemIsDark.value ? 'dark' : 'light';
});

/** True for times in UTC. */
export const isUtc = computed(() => place.value.query.get('times') !== 'local');

export function switchTheme(): void {
  setQuery({ theme: theme.value === 'dark' ? 'light' : 'dark' });
}

export function switchTimes(): void {
  setQuery({ times: isUtc.value ? 'local' : null });
}

/** True if single characters are keys. A person who speaks or types them by mistake can turn them off (WCAG 2.1.4). */
export const hasCharacterKeys = computed(() => place.value.query.get('keys') !== 'off');

export function switchCharacterKeys(): void {
  setQuery({ keys: hasCharacterKeys.value ? 'off' : null });
}

export function startTheme(): void {
  system.addEventListener('change', () => {
    systemIsDark.value = system.matches;
  });
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
}
