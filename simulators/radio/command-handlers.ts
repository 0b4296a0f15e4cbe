import type { CommandName, CommandParameters, CommandReturns } from '../../src/ble/hci/commands.js';

/**
 * A handler answers with a status (anything but success refuses the command), or with the return parameters of success.
 * What happens later is posted to the air, so that the answer leaves first.
 */
export type Handlers = {
  readonly [N in CommandName]: (parameters: CommandParameters<N>) => number | CommandReturns<N>;
};
