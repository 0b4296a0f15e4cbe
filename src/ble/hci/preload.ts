/**
 * `node --import airbench/hci PROGRAM`: on Linux, a program with its own noble uses the adapter that
 * AIRBENCH_HCI names, `tcp:HOST:PORT` or `unix:PATH`, without a change of its code. `default` and `hciN` change nothing.
 * @throws at start if the variable is missing or has another value.
 */
import * as E from 'fp-ts/lib/Either.js';
import { H4Stream } from './h4-stream.js';
import { HostSocket } from './host-socket.js';
import { parseHciSpec } from './spec.js';
import { replaceNativeSocket } from './stand-in.js';
import { systemTime } from '../../async/time.js';

const VARIABLE = 'AIRBENCH_HCI';

const spec = parseHciSpec(process.env[VARIABLE] ?? '');
if (E.isLeft(spec)) throw new Error(`${VARIABLE}: ${spec.left}`);
const { right } = spec;
// The user channel needs the module that would be replaced.
if (right.kind === 'user') throw new Error(`${VARIABLE}: user:hciN is for the servers, --hci user:hciN`);
if (right.kind === 'tcp' || right.kind === 'unix')
  replaceNativeSocket(() => new HostSocket(new H4Stream(right), systemTime));
