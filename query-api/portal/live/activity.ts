/** Whether the page may change now: not while the tab is hidden, nor while the person has paused live updates. */
import { computed, signal } from '@preact/signals';
import { serviceNow } from './service-clock.ts';

/** Unix ms since which the person has live updates paused; null while they are not. */
export const pausedAt = signal<number | null>(null);
export const isPaused = computed(() => pausedAt.value !== null);
/** True while the tab is hidden: nothing is read then. */
export const isHidden = signal(document.hidden);
document.addEventListener('visibilitychange', () => {
  isHidden.value = document.hidden;
});
/** True while nothing that is received would be shown. */
export const isStopped = computed(() => isHidden.value || isPaused.value);

export function switchPause(): void {
  pausedAt.value = pausedAt.value === null ? serviceNow() : null;
}
