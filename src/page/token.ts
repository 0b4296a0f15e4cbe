/** The token that this browser shows to the server; null while it has none. */
import { effect, signal } from '@preact/signals';

const KEY = 'airbench token';

export const token = signal<string | null>(sessionStorage.getItem(KEY));

effect(() => {
  if (token.value === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, token.value);
});
