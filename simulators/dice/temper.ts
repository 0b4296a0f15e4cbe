/** How a die misbehaves. */
export interface DieTemper {
  /** Opcodes the die does not hear. */
  readonly silentOpcodes: readonly number[];
  /** Before each answer, ms on the die's clock. */
  readonly answerDelayMs: number;
  /** Loses the link halfway through each roll. */
  readonly dropAfterRollStart: boolean;
  /** Drops each link as soon as it is made. */
  readonly refuseLinks: boolean;
}

export const EVEN_TEMPER: DieTemper = {
  silentOpcodes: [],
  answerDelayMs: 0,
  dropAfterRollStart: false,
  refuseLinks: false,
};
