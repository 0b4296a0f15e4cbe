import type { CommandName, CommandParameters, CommandReturns } from '../../../src/ble/hci/commands.js';
import { Status } from '../../../src/ble/hci/status.js';

/** The refusal of a command: the status for the host, and the reason in words for reports of violations. */
export interface Refusal {
  readonly refused: number;
  readonly reason: string;
  /** The handle in the command, if no link has it. */
  readonly handle?: number;
}

export const refuse = (status: number, reason: string): Refusal => ({ refused: status, reason });

export const isRefusal = (answer: unknown): answer is Refusal =>
  typeof answer === 'object' && answer !== null && 'refused' in answer;

/** A rule of a command: the refusal if it does not hold. Rules are chained with `??`, in the order of their precedence. */
type Rule = (holds: boolean, reason: string) => Refusal | undefined;

const ruleWith =
  (status: number): Rule =>
  (holds, reason) =>
    holds ? undefined : refuse(status, reason);

export const valid = ruleWith(Status.invalidParameters);
export const allowed = ruleWith(Status.commandDisallowed);
export const supported = ruleWith(Status.unsupportedFeature);

/** Carries out a command that no rule has refused. */
export const done = (task: () => unknown): number => {
  task();
  return Status.success;
};

/**
 * A handler answers with a status (anything but success refuses the command), a refusal, or the return parameters of
 * success. Later effects are posted, so that the answer leaves first.
 */
export type Handlers = {
  readonly [N in CommandName]: (parameters: CommandParameters<N>) => number | Refusal | CommandReturns<N>;
};
