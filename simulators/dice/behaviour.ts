/** How a die misbehaves. */
export interface DieBehaviour {
  /** Opcodes that the die ignores. */
  readonly silentOpcodes: readonly number[];
  /** Before each answer, ms on the die's clock. */
  readonly answerDelayMs: number;
  /** Loses the link halfway through each roll. */
  readonly dropAfterRollStart: boolean;
  /** Drops each link as soon as it is made. */
  readonly refuseLinks: boolean;
}

export const USUAL_BEHAVIOUR: DieBehaviour = {
  silentOpcodes: [],
  answerDelayMs: 0,
  dropAfterRollStart: false,
  refuseLinks: false,
};
