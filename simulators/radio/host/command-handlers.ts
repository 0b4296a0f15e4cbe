import type { CommandName, CommandParameters, CommandReturns } from '../../../src/ble/hci/commands.js';

/** A command that is not carried out: the status for the host, and the reason in words for reports of violations. */
export interface Refusal {
  readonly refused: number;
  readonly reason: string;
  /** The handle, if it is one that no link has. */
  readonly handle?: number;
}

export const refuse = (status: number, cause: string): Refusal => ({ refused: status, reason: cause });

export const isRefusal = (answer: unknown): answer is Refusal =>
  typeof answer === 'object' && answer !== null && 'refused' in answer;

/** A condition, and the status and reason of the refusal if it does not hold; the text is made only then. */
export type Rule = readonly [holds: boolean, status: number, cause: () => string];

/** The refusal by the first rule that does not hold. */
export const check = (...rules: readonly Rule[]): Refusal | undefined => {
  const rule = rules.find(([holds]) => !holds);
  return rule === undefined ? undefined : refuse(rule[1], rule[2]());
};

/**
 * A handler answers with a status (anything but success refuses the command), a refusal, or the return parameters of
 * success. What happens later is posted, so that the answer leaves first.
 */
export type Handlers = {
  readonly [N in CommandName]: (parameters: CommandParameters<N>) => number | Refusal | CommandReturns<N>;
};
