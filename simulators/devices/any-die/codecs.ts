/** Fields and actions that dice of all makers take over the control API. */
import * as codecs from '../../../src/codecs/index.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { hexByte } from '../../../src/bytes/index.js';
import type { Rgb } from '../../../src/protocols/dice-values.js';
import { defaulted, level, milliseconds, printable } from '../fields.js';

export const face = codecs.about('The face that is up at the end; random unless given', codecs.anyInteger);
export const roll_ms = codecs.about('How long it rolls, milliseconds; 1000 unless given', milliseconds());

export const ending = <C extends codecs.Described>(endings: C): C =>
  codecs.about('How it comes to rest, `stable` unless given; `none`: without a report', endings);

export const charging = defaulted('Whether it charges', codecs.boolean, false);
export const asleep = defaulted('Whether it sleeps, and does not advertise', codecs.boolean, false);

/** An action without parameters. */
export const plain = codecs.closedObject({});

export const name = (most: number) =>
  codecs.about('The name that it advertises; empty: none', printable(most));

/** Actions on all dice; each kind has its own `notify`. */
export const commonActions = {
  charge: codecs.closedObject({ on: codecs.about('Whether it charges', codecs.boolean) }),
  battery: codecs.closedObject({ level }),
  sleep: plain,
  wake: plain,
};
export type CommonActions = typeof commonActions;

/** `ff8000` of red 255, green 128, blue 0. */
export const hexColour = ({ r, g, b }: Rgb): string => [r, g, b].map(hexByte).join('');

export const commandsJson = (commands: ReadonlyMap<number, number>): JsonRecord =>
  Object.fromEntries([...commands].map(([opcode, count]) => [hexByte(opcode), count]));
