/**
 * `node --import airbench/hci PROGRAM`: a program with its own noble or bleno uses the adapter that AIRBENCH_HCI names,
 * `tcp:HOST:PORT` or `unix:PATH`, without a change of its code. `default` and `hciN` change nothing.
 * @throws at start if the variable is missing or has another value; in a timer, which ends the program, if no adapter answers.
 */
import * as E from 'fp-ts/lib/Either.js';
import { H4Stream } from './h4-stream.js';
import { HostSocket } from './host-socket.js';
import { describeHciSpec, parseHciSpec, type StreamSpec } from './spec.js';
import { replaceNativeSocket } from './stand-in.js';
import { systemTime, type Cancel } from '../../async/time.js';
import { systemReason } from '../../system/system-error.js';

const VARIABLE = 'AIRBENCH_HCI';

/** How long the adapter may take to answer for the first time, ms. */
const ANSWER_MS = 5000;

/** The socket of a program, which would wait for ever for an adapter that never answers. */
class ProgramSocket extends HostSocket {
  private cancelLimit: Cancel | undefined;
  private reason = 'it does not answer Reset';

  constructor(private readonly spec: StreamSpec) {
    super(new H4Stream(spec), systemTime);
    this.on('error', (error: Error) => (this.reason = systemReason(error)));
  }

  override start(): void {
    if (!this.isControl && this.cancelLimit === undefined) {
      this.cancelLimit = systemTime.after(ANSWER_MS, () => this.giveUp());
      this.once('up', this.cancelLimit);
    }
    super.start();
  }

  override stop(): void {
    this.cancelLimit?.();
    super.stop();
  }

  private giveUp(): never {
    const name = describeHciSpec(this.spec);
    throw new Error(
      `${VARIABLE}: nothing answers at ${name} (${this.reason}): start it, for example by \`npx airbench air\``,
    );
  }
}

const spec = parseHciSpec(process.env[VARIABLE] ?? '');
if (E.isLeft(spec)) throw new Error(`${VARIABLE}: ${spec.left}`);
const { right } = spec;
// The user channel needs the module that would be replaced.
if (right.kind === 'user') throw new Error(`${VARIABLE}: user:hciN is for the servers, --hci user:hciN`);
if (right.kind === 'tcp' || right.kind === 'unix') replaceNativeSocket(() => new ProgramSocket(right));
