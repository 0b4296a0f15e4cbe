/**
 * `node --import airbench/hci PROGRAM`: on Linux, a program with a noble of its own uses the adapter that
 * AIRBENCH_HCI names, `tcp:HOST:PORT` or `unix:PATH`, and not one word of it changes. `default` and `hciN` leave it as it is.
 * @throws at start if the variable is missing or is none of these.
 */
import * as E from 'fp-ts/lib/Either.js';
import { H4Socket } from './h4-socket.js';
import { parseHciSpec } from './spec.js';
import { replaceNativeSocket } from './stand-in.js';

const VARIABLE = 'AIRBENCH_HCI';

const spec = parseHciSpec(process.env[VARIABLE] ?? '');
if (E.isLeft(spec)) throw new Error(`${VARIABLE}: ${spec.left}`);
const { right } = spec;
if (right.kind !== 'native') replaceNativeSocket(() => new H4Socket(right));
