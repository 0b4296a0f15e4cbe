/** The port for the dice of all makers: sessions, streams, REST, MQTT and the page use dice through it alone. */
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { TimeSource } from '../../async/time.js';
import type { Advertisement, GattProfile, Link } from '../../ble/ports.js';
import type { DeviceError } from '../../devices/device-error.js';
import type {
  Acceleration,
  AnyDiceType,
  Capability,
  DiceType,
  DieColour,
  Led,
  Leds,
  Pulse,
  RestTag,
  Taps,
} from '../../protocols/dice-values.js';

/** The position of a die: the acceleration that it measured, or the face that it reports. */
export type Position = { readonly acceleration: Acceleration } | { readonly face: number };

export type Rest = Position & { readonly _tag: RestTag };

/** A message of a die, in the terms of all makers. */
export type Report =
  | Rest
  | { readonly _tag: 'RollStart' | 'Tap' | 'DoubleTap' }
  /** Per cent, 0 to 100. */
  | { readonly _tag: 'Battery'; readonly level: number }
  | { readonly _tag: 'Charging'; readonly on: boolean }
  | { readonly _tag: 'Colour'; readonly colour: DieColour };

export interface Received {
  readonly report: Report;
  /** False: the die only reports its state, after it was connected or on request. */
  readonly makesEvent: boolean;
}

/** The reports of a die, in order, buffered until there is a listener. */
export class ReportBuffer {
  private buffered: Received[] = [];
  private listener: ((received: Received) => void) | undefined;

  add(received: Received): void {
    if (this.listener === undefined) this.buffered.push(received);
    else this.listener(received);
  }

  /** Delivers the buffered reports and all later ones; may be called once. */
  listen(listener: (received: Received) => void): void {
    this.listener = listener;
    const { buffered } = this;
    this.buffered = [];
    for (const received of buffered) listener(received);
  }
}

/** The faces of a die that measures its acceleration. */
export interface Measuring {
  /** The face that is up. */
  readonly faceOf: (diceType: DiceType, acceleration: Acceleration) => number;
  /** The acceleration that the die would measure if it lay level on the same face. */
  readonly levelOn: (diceType: DiceType, acceleration: Acceleration) => Acceleration;
}

/** A die with a link; null: dice of its maker lack the capability. */
export interface Die {
  readonly link: Link;
  /** The type that it reports; otherwise clients name a shell, and the face follows from the measured acceleration. */
  readonly type: AnyDiceType | Measuring;
  /** Delivers all reports to `listener`, in order; may be called once. */
  readonly listen: (listener: (received: Received) => void) => void;
  /** The LEDs that can have different colours. */
  readonly leds: readonly Led[];
  /** Resolves when the die has acknowledged, like `pulse` and `setTaps`. An LED that the die lacks is dark. */
  readonly setLeds: (leds: Leds) => TE.TaskEither<DeviceError, void>;
  readonly pulse: ((pulse: Pulse) => TE.TaskEither<DeviceError, void>) | null;
  readonly setTaps: ((taps: Taps) => TE.TaskEither<DeviceError, void>) | null;
  /** Requests the battery level, per cent. Left `NoAnswer`: no response in time. */
  readonly battery: TE.TaskEither<DeviceError, number>;
  /** Asks for a report of the battery level; a die that does not answer keeps its link. Null: the die cannot be asked so. */
  readonly askBattery: TE.TaskEither<DeviceError, void> | null;
}

export const capabilitiesOf = ({ leds, pulse, setTaps, type }: Die): readonly Capability[] => [
  ...leds,
  ...(pulse === null ? [] : (['pulse'] as const)),
  ...(setTaps === null ? [] : (['taps'] as const)),
  ...(typeof type === 'string' ? [] : (['calibrate'] as const)),
];

/** Commands to a die that is being opened: a request, and settings that it forgets with its link; null: never set. */
export interface InitialCommands {
  readonly askColour: boolean;
  readonly leds: Leds | null;
  readonly taps: Taps | null;
}

export interface OpenOptions extends InitialCommands {
  readonly time: TimeSource;
  readonly log: Logger;
  /** How long a response may take once the request is written, ms. */
  readonly answerMs: number;
  /** Aborts the opening. */
  readonly signal: AbortSignal;
}

/** The data that a die advertises; null where dice of its maker do not advertise it. */
export interface Advertised {
  readonly dice_type: AnyDiceType | null;
  readonly color: DieColour | null;
  readonly battery_level: number | null;
  readonly charging: boolean | null;
  readonly rolling: boolean | null;
  readonly face: number | null;
}

export const NOTHING_ADVERTISED: Advertised = {
  ...{ dice_type: null, color: null, battery_level: null, charging: null, rolling: null, face: null },
};

/** One maker's dice. */
export interface DieDriver {
  readonly manufacturer: string;
  readonly model: string;
  /** Whether an advertisement is of one of its dice. */
  readonly isDie: (advertisement: Advertisement) => boolean;
  readonly advertised: (advertisement: Advertisement) => Advertised;
  readonly profile: (advertisement: Advertisement) => readonly GattProfile[];
  /** Opens a die on a link, and reports the state that it sends meanwhile. There is no link after Left. */
  readonly open: (link: Link, options: OpenOptions) => TE.TaskEither<DeviceError, Die>;
}
