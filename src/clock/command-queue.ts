/** The queues of clocks, for commands. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Address } from '../ble/ports.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Command as ClockCommand } from '../protocols/cgd1/index.js';
import type { AlarmClock } from './cgd1/clock.js';
import { commands, type CommandName } from './contract.js';
import type { Events } from './events.js';
import type { Sessions } from './sessions.js';

type Work<A> = (device: AlarmClock) => TE.TaskEither<DeviceError, A>;

interface OfClock {
  readonly address: Address;
}

/** A command ends when the signal of its client is aborted. */
interface OfClient {
  readonly signal: AbortSignal;
}

export class CommandQueue {
  constructor(
    private readonly sessions: Sessions,
    private readonly events: Events,
  ) {}

  /** Queues `work`; subscribers receive its `ack` before its response. */
  run<A>(
    name: CommandName,
    { address }: OfClock,
    { signal }: OfClient,
    work: Work<A>,
  ): TE.TaskEither<DeviceError, A> {
    const { acknowledged } = commands[name];
    return this.sessions.run(address, signal, acknowledged ? this.announced(address, name, work) : work);
  }

  /** The handler of a command whose only answer by the clock is an ACK; `responseOf` makes the response to the client. */
  execute<Input extends OfClock, A>(
    name: CommandName,
    commandOf: (input: Input) => ClockCommand,
    responseOf: (input: Input) => A,
  ) {
    return (input: Input, context: OfClient): TE.TaskEither<DeviceError, A> =>
      this.run(name, input, context, (device) =>
        pipe(
          device.execute(name, commandOf(input)),
          TE.map(() => responseOf(input)),
        ),
      );
  }

  /** Sends subscribers the outcome of a command. */
  announced<A>(address: Address, command: CommandName, work: Work<A>): Work<A> {
    return (device) => () =>
      work(device)().then((outcome) => {
        const succeeded = E.isRight(outcome);
        if (succeeded || outcome.left._tag === 'Refused') {
          const status = succeeded ? 'success' : 'failure';
          this.events.publish(address, { event: 'ack', data: { command, status } });
        }
        return outcome;
      });
  }
}
