/** The counts of the faces of each die in the shown period, and whether it is fair, as the server computes them. */
import { batch, computed, effect, signal, untracked } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../async/defects.js';
import { endpoints, type Statistics } from '../../dice/contract.js';
import { call } from '../common/api.js';
import { put } from '../common/maps.js';
import { isKept, span } from './history.js';
import { addresses, dice, records } from './state.js';

export const statistics = signal<ReadonlyMap<string, Statistics>>(new Map());

/** Rolls that follow each other within this time are counted together. */
const PAUSE_MS = 250;

const stale = new Set<string>();
let isReading = false;

const readStale = async (): Promise<void> => {
  const due = [...stale];
  stale.clear();
  const answers = await Promise.all(
    due.map((address) => call(endpoints.statistics, { params: { address }, query: { ...span.value } })),
  );
  batch(() => {
    for (const answer of answers)
      if (E.isRight(answer)) statistics.value = put(statistics.value, answer.right.address, answer.right);
  });
  isReading = false;
  if (stale.size > 0) readSoon([]);
};

const readSoon = (due: readonly string[]): void => {
  for (const address of due) stale.add(address);
  if (isReading || !isKept.value) return;
  isReading = true;
  setTimeout(() => detached(readStale()), PAUSE_MS);
};

const typeAt = (address: string): string | null | undefined =>
  (dice.value.get(address) ?? records.value.get(address))?.dice_type;

/** The shown period, the dice and their types as one text, empty without dice: all are read again when it changes. */
const basis = computed(() => {
  const types = addresses.value.map((address) => [address, typeAt(address)]);
  return types.length === 0 ? '' : JSON.stringify([span.value, types]);
});

effect(() => {
  if (isKept.value && basis.value !== '') readSoon(untracked(() => addresses.value));
});

/** Counts the new rolls of these dice. */
export const recount = (rolled: readonly string[]): void => readSoon([...new Set(rolled)]);
