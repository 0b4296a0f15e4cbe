/** Signals with values that this browser keeps: reloads, restarts and other tabs of the page have them too. */
import { effect, signal, type Signal } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import { parse, stringify } from 'fp-ts/lib/Json.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import { storedText, storeText } from './storage.js';

const keyOf = (name: string): string => `airbench ${name}`;

const textOf = (value: unknown): string =>
  pipe(
    stringify(value),
    E.getOrElse(() => ''),
  );

/** A text that does not decode counts as `initial`. */
export const keptSignal = <A>(name: string, codec: t.Type<A, unknown>, initial: A): Signal<A> => {
  const key = keyOf(name);
  const read = (text: string | null): A =>
    pipe(
      parse(text ?? ''),
      E.chainW((json) => codec.decode(json)),
      E.getOrElse(() => initial),
    );
  const kept = signal(read(storedText('localStorage', key)));
  effect(() => {
    const text = textOf(codec.encode(kept.value));
    if (text !== storedText('localStorage', key)) storeText('localStorage', key, text);
  });
  window.addEventListener('storage', (event) => {
    if (event.key === key && event.newValue !== textOf(codec.encode(kept.peek())))
      kept.value = read(event.newValue);
  });
  return kept;
};
