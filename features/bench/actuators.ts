/** The actors of a bench, by the `actuators` of its file. */
import type { Actor, Actors, Hands } from '../actors/actor.js';
import { ACTION_TYPES, type ActionType } from '../actors/actions.js';
import { commandActor, commandModel } from '../actors/command.js';
import { controlActor, controlModel } from '../actors/control.js';
import { operator } from '../actors/operator.js';
import type { Control } from '../../simulators/testing/index.js';
import type { Actuator, BenchFile } from './bench-file.js';
import { CannotRun } from './cannot-run.js';

const DEFAULT_SECS = { operator: 120, command: 60 };

const all = (actorOf: (action: ActionType) => Actor | undefined): Actors =>
  Object.fromEntries(
    ACTION_TYPES.flatMap((action) => {
      const actor = actorOf(action);
      return actor === undefined ? [] : [[action, actor]];
    }),
  );

/** A control API does every action except `except`. */
export const controlHands = (control: Control, except: readonly ActionType[] = []): Hands => {
  const actor = controlActor(control);
  return {
    actors: all((action) => (except.includes(action) ? undefined : actor)),
    readModel: controlModel(control),
  };
};

/** A person at the terminal of this process, if it has one. */
const personHere = (secs: number): Actor | undefined =>
  process.stdin.isTTY && process.stdout.isTTY
    ? operator({ input: process.stdin, output: process.stdout }, secs)
    : undefined;

const requireControl = ({ actuators = {}, control }: BenchFile): void => {
  if (control !== undefined) return;
  const action = [...ACTION_TYPES, 'others' as const].find((name) => actuators[name] === 'control');
  if (action === undefined) return;
  throw new CannotRun(`actuators.${action} is "control", but the bench file names no control API`);
};

/** The actuators that the file names; by default the control API, or a person if the bench has no control API. */
export const describedHands = (file: BenchFile): ((control: Control | undefined) => Hands) => {
  requireControl(file);
  const { actuators = {}, limits = {} } = file;
  const { operator_secs = DEFAULT_SECS.operator, command_secs = DEFAULT_SECS.command } = limits;
  const person = personHere(operator_secs);
  const defaultActuator = actuators.others ?? (file.control === undefined ? 'operator' : 'control');
  return (control) => {
    const byControl = control === undefined ? undefined : controlHands(control);
    const actorOf = (action: ActionType, actuator: Actuator): Actor | undefined => {
      if (typeof actuator !== 'string') return commandActor(actuator, command_secs);
      return actuator === 'operator' ? person : byControl?.actors[action];
    };
    return {
      actors: all((action) => actorOf(action, actuators[action] ?? defaultActuator)),
      readModel:
        actuators.model === undefined ? byControl?.readModel : commandModel(actuators.model, command_secs),
    };
  };
};
