/** How a command is described: opcode, parameters, return parameters (Core 5.4 Vol 4 Part E 7). */
import { layout, type Fields, type Layout, type Values } from './layout.js';

export interface CommandSpec<P, R> {
  readonly opcode: number;
  readonly parameters: Layout<P>;
  /** Undefined: Command Status now, an event later. */
  readonly returns: Layout<R> | undefined;
  /** More bytes may follow the fixed parameters. */
  readonly hasTail: boolean;
}

export const completes = <P extends Fields, R extends Fields>(
  opcode: number,
  parameters: P,
  returns: R,
): CommandSpec<Values<P>, Values<R>> => ({
  opcode,
  parameters: layout(parameters),
  returns: layout(returns),
  hasTail: false,
});

export const begins = <P extends Fields>(opcode: number, parameters: P): CommandSpec<Values<P>, never> => ({
  opcode,
  parameters: layout(parameters),
  returns: undefined,
  hasTail: false,
});

/** As `spec`, with a tail of variable length after the fixed parameters, handed over as `tail`. */
export const withTail = <P, R>(spec: CommandSpec<P, R>): CommandSpec<P & { readonly tail: Buffer }, R> => ({
  ...spec,
  parameters: {
    size: spec.parameters.size,
    read: (from) => ({
      ...spec.parameters.read(from),
      tail: Buffer.from(from.subarray(spec.parameters.size)),
    }),
    write: (values) => Buffer.concat([spec.parameters.write(values), values.tail]),
  },
  hasTail: true,
});
