/** The actions on a device, by any actor. */
import type { MAKERS, Maker } from './makers.js';
import type { AnyDiceType } from '../../src/dice/contract.js';

export type Action =
  /** Rolled; with `ending` "stable" until it shows `face`. A person may stop at one of the `others` too. */
  | {
      readonly type: 'roll';
      readonly die: AnyDiceType;
      readonly face: number;
      readonly ending: string;
      readonly others?: readonly number[];
    }
  /** Put down with `face` up, without a roll. */
  | { readonly type: 'turn'; readonly die: AnyDiceType; readonly face: number }
  /** Kept rolling until the next action. */
  | { readonly type: 'shake' }
  | { readonly type: 'tap' }
  | { readonly type: 'double_tap' }
  | { readonly type: 'charge'; readonly on: boolean }
  /** Measures new values, in °C and %, as near to these as the actor can bring the device. */
  | { readonly type: 'sensors'; readonly temperature: number; readonly humidity: number }
  | { readonly type: 'button'; readonly secs: number }
  | { readonly type: 'wake' }
  /** Out of range of the server's adapter, and into it again. */
  | { readonly type: 'away' }
  | { readonly type: 'back' };

export type ActionType = Action['type'];

/** A device, for an actor. */
export interface Device {
  /** The name in the control API. */
  readonly kind: (typeof MAKERS)[Maker] | 'clock';
  readonly address: string;
  readonly name: string | undefined;
  readonly color?: string | undefined;
}

/** The placeholders for values of an action. `OF_DEVICE` in `bench-file.ts` has the placeholders for the device. */
export const PARAMETERS: Readonly<Record<ActionType, readonly string[]>> = {
  roll: ['die', 'face', 'ending'],
  turn: ['die', 'face'],
  shake: [],
  tap: [],
  double_tap: [],
  charge: ['on'],
  sensors: ['temperature', 'humidity'],
  button: ['secs'],
  wake: [],
  away: [],
  back: [],
};

export const ACTION_TYPES = Object.keys(PARAMETERS) as readonly ActionType[];

const endings: Readonly<Record<string, string>> = {
  tilt: 'leaning on something',
  fake: 'without a real roll, by a light shove',
  move: 'by a turn of the hand at the end',
};

/** `3, 5 or 6` */
export const anyOf = (faces: readonly number[]): string =>
  [faces.slice(0, -1).join(', '), faces.at(-1)].filter((part) => part !== '').join(' or ');

/** The instruction to a person for an action, without its full stop. `device`: a noun such as `the red die`. */
export const task = (device: string, action: Action): string => {
  switch (action.type) {
    case 'roll': {
      const how = endings[action.ending];
      const faces = anyOf([action.face, ...(action.others ?? [])]);
      return `Roll ${device} as a ${action.die} until it shows ${faces}${how === undefined ? '' : `, ${how}`}`;
    }
    case 'turn':
      return `Put ${device} as a ${action.die} down with ${action.face} up, without rolling it, and let it lie`;
    case 'shake':
      return `Keep shaking ${device} and do not stop before you are asked for something else`;
    case 'tap':
      return `Tap ${device} once`;
    case 'double_tap':
      return `Tap ${device} twice, quickly`;
    case 'charge':
      return action.on ? `Put ${device} on its charger` : `Take ${device} off its charger`;
    case 'sensors':
      return `Warm ${device} in your hands until its display shows another temperature`;
    case 'button':
      return `Reset ${device}: take its batteries out, put them back and hold its body pressed for ${action.secs} s`;
    case 'wake':
      return `Wake ${device}: shake it until its LEDs blink`;
    case 'away':
      return `Take ${device} out of range, or put it into a closed metal box`;
    case 'back':
      return `Bring ${device} back into range`;
  }
};

/** The instruction with the address of its device. */
export const instruction = ({ kind, address, name }: Device, action: Action): string =>
  task(`${kind === 'clock' ? 'clock' : 'die'} ${address}${name === undefined ? '' : ` (${name})`}`, action);
