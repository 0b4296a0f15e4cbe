/** The actors of a bench, by the `actuators` of its file. */
import type { Actor, Actors, Hands } from '../actors/actor.js';
import { ACTION_TYPES, type ActionType } from '../actors/actions.js';
import { commandActor, commandModel } from '../actors/command.js';
import { controlActor, controlModel } from '../actors/control.js';
import { course } from '../actors/course.js';
import { Operator } from '../actors/operator.js';
import type { Control } from '../../simulators/testing/index.js';
import type { Bench } from './bench.js';
import type { Actuator, BenchFile } from './bench-file.js';
import { canExecute } from './commands.js';
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

const hasTerminal = (): boolean => process.stdin.isTTY && process.stdout.isTTY;

/** A person at the terminal of this process, if it has one. */
const personHere = (secs: number, title: string): Operator | undefined =>
  hasTerminal()
    ? new Operator({ input: process.stdin, output: process.stdout }, secs, title, course)
    : undefined;

/** `bench-1, operator A. Turing` */
const titleOf = ({ station = 'airbench', operator }: BenchFile): string =>
  operator === undefined ? station : `${station}, operator ${operator}`;

const requireControl = ({ actuators = {}, control }: BenchFile): void => {
  if (control !== undefined) return;
  const action = [...ACTION_TYPES, 'others' as const].find((name) => actuators[name] === 'control');
  if (action === undefined) return;
  throw new CannotRun(`actuators.${action} is "control", but the bench file names no control API`);
};

/** The missing parts of the bench file: programs, without which the run cannot start; a terminal for the operator. */
export const lacksOf = ({ actuators = {}, control }: BenchFile): Pick<Bench, 'problems' | 'lacking'> => {
  const problems = Object.entries(actuators).flatMap(([name, actuator]) =>
    typeof actuator === 'string' || canExecute(actuator[0] ?? '')
      ? []
      : [`actuators.${name} cannot be run: there is no program ${JSON.stringify(actuator[0])}`],
  );
  const others = actuators.others ?? (control === undefined ? 'operator' : 'control');
  const manual = ACTION_TYPES.filter((action) => (actuators[action] ?? others) === 'operator');
  const isAbsent = manual.length > 0 && !hasTerminal();
  return {
    problems,
    lacking: isAbsent
      ? [`without an operator at a terminal nobody does the actions ${manual.join(', ')}`]
      : [],
  };
};

/**
 * The actuators that the file names; by default the control API, or a person if the bench has no control API. The screen of
 * the person opens with the first scenario, and closes with the bench, by `add`.
 */
export const describedHands = (
  file: BenchFile,
  add: (closer: () => void) => void,
): ((control: Control | undefined) => Hands) => {
  requireControl(file);
  const { actuators = {}, limits = {} } = file;
  const { operator_secs = DEFAULT_SECS.operator, command_secs = DEFAULT_SECS.command } = limits;
  const person = personHere(operator_secs, titleOf(file));
  if (person !== undefined) add(person.close);
  const defaultActuator = actuators.others ?? (file.control === undefined ? 'operator' : 'control');
  return (control) => {
    const byControl = control === undefined ? undefined : controlHands(control);
    const actorOf = (action: ActionType, actuator: Actuator): Actor | undefined => {
      if (typeof actuator !== 'string') return commandActor(actuator, command_secs);
      return actuator === 'operator' ? person : byControl?.actors[action];
    };
    const actors = all((action) => actorOf(action, actuators[action] ?? defaultActuator));
    if (person !== undefined && Object.values(actors).includes(person)) person.open();
    return {
      actors,
      readModel:
        actuators.model === undefined ? byControl?.readModel : commandModel(actuators.model, command_secs),
    };
  };
};
