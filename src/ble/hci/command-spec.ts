/** The description of a command: opcode, parameters, return parameters (Core 5.4 Vol 4 Part E 7). */
import { layout, type Fields, type Layout, type Values } from '../../bytes/index.js';

export interface CommandSpec<P, R> {
  readonly opcode: number;
  readonly parameters: Layout<P>;
  /** Undefined: answered by Command Status, and later by an event. */
  readonly returns: Layout<R> | undefined;
  /**
   * The number of octets of the parameters, such as a handle, that the return parameters repeat after the status, even if
   * the command failed (Core 5.4 Vol 4 Part E 4.5).
   */
  readonly repeats: number;
  /** More bytes may follow the fixed parameters. */
  readonly hasTail: boolean;
}

/** The size of the first fields that parameters and return parameters share. */
const sharedSize = (parameters: Fields, returns: Fields): number => {
  const names = Object.keys(parameters);
  const returned = Object.entries(returns);
  const differs = returned.findIndex(([name], at) => names[at] !== name);
  const shared = differs < 0 ? returned : returned.slice(0, differs);
  return shared.reduce((size, [, field]) => size + field.size, 0);
};

export const completes = <P extends Fields, R extends Fields>(
  opcode: number,
  parameters: P,
  returns: R,
): CommandSpec<Values<P>, Values<R>> => ({
  opcode,
  parameters: layout(parameters),
  returns: layout(returns),
  repeats: sharedSize(parameters, returns),
  hasTail: false,
});

export const begins = <P extends Fields>(opcode: number, parameters: P): CommandSpec<Values<P>, never> => ({
  opcode,
  parameters: layout(parameters),
  returns: undefined,
  repeats: 0,
  hasTail: false,
});

/** Adds `tail`: bytes of variable length after the fixed parameters. */
export const withTail = <P, R>(spec: CommandSpec<P, R>): CommandSpec<P & { readonly tail: Buffer }, R> => ({
  ...spec,
  parameters: {
    ...spec.parameters,
    read: (from) => ({
      ...spec.parameters.read(from),
      tail: Buffer.from(from.subarray(spec.parameters.size)),
    }),
    write: (values) => Buffer.concat([spec.parameters.write(values), values.tail]),
  },
  hasTail: true,
});
