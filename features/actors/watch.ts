/** The events of an action, as the clients of a scenario receive them while a person acts. */
import type { JsonObject } from '../../simulators/testing/internal/listener.js';
import { anyOf, type Action, type Device } from './actions.js';

/** The events of an action so far. */
export interface Sight {
  readonly text: string;
  /** Whether all events of the action have come. */
  readonly complete: boolean;
}

/** The scenario of a person's action. */
export interface Occasion {
  /** Undefined: the scenario has no client that receives events. */
  readonly sight: () => Sight | undefined;
  /** Drops the messages since the begin of the action. */
  readonly again: () => void;
  /** Keeps a remark or an observed value for the report. */
  readonly note: (text: string) => void;
}

interface Expectation {
  readonly name: string;
  readonly fits: (message: JsonObject) => boolean;
}

const RESTS: Readonly<Record<string, string>> = {
  tilt: 'TiltStable',
  fake: 'FakeStable',
  move: 'MoveStable',
};

const showing = (name: string, faces: readonly number[]): Expectation => ({
  name: `${name} ${anyOf(faces)}`,
  fits: ({ face }) => faces.some((expected) => expected === face),
});

const named = (name: string): Expectation => ({
  name,
  fits: ({ kind, event }) => (kind ?? event) === name,
});

/** The last event that an action causes. Undefined: it causes none. */
const expectation = ({ kind }: Device, action: Action): Expectation | undefined => {
  switch (action.type) {
    case 'roll':
      return showing(RESTS[action.ending] ?? 'Stable', [action.face, ...(action.others ?? [])]);
    case 'turn':
      return showing('Stable', [action.face]);
    case 'shake':
      return named('RollStart');
    case 'tap':
      return named('Tap');
    case 'double_tap':
      return named('DoubleTap');
    case 'charge':
      return {
        name: action.on ? 'Charging' : 'the end of Charging',
        fits: (message) => message['kind'] === 'Charging' && message['charging'] === action.on,
      };
    case 'sensors':
      return named('sensor_update');
    case 'away':
      return named(kind === 'clock' ? 'disconnected' : 'Disconnected');
    case 'back':
      return named(kind === 'clock' ? 'reconnected' : 'Reconnected');
    case 'button':
    case 'wake':
      return undefined;
  }
};

/** `Stable 5` */
const nameOf = ({ kind, event, face }: JsonObject): string =>
  [kind ?? event, face]
    .filter((part) => part !== undefined)
    .map(String)
    .join(' ');

/** The number of the latest messages that a person sees. */
const SHOWN = 3;

/** `messages`: of a client since the begin of the action. */
export const sightOf = (device: Device, action: Action, messages: readonly JsonObject[]): Sight => {
  const awaited = expectation(device, action);
  const complete = awaited !== undefined && messages.some(awaited.fits);
  const names = messages.slice(-SHOWN).map(nameOf);
  const seen = names.length === 0 ? 'no event yet' : `${names.join(', ')} seen`;
  return {
    text: complete || awaited === undefined ? seen : `${seen}, waiting for ${awaited.name}`,
    complete,
  };
};

/** The events of several clients: complete if each client has received all of them. Undefined without a client. */
export const joinedSight = (sights: readonly Sight[], progress?: string): Sight | undefined => {
  const [first] = sights;
  if (first === undefined) return progress === undefined ? undefined : { text: progress, complete: false };
  const behind = sights.find(({ complete }) => !complete) ?? first;
  return {
    text: progress === undefined ? behind.text : `${progress}; ${behind.text}`,
    complete: behind.complete,
  };
};
