/** `airbench/central`: noble behind `Radio`, on this machine's adapters or at the end of an H4 stream. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { systemReason } from '../../system/system-error.js';
import { systemTime, type TimeSource } from '../../async/time.js';
import { wait } from '../../async/wait.js';
import { listAdapters, serverChoices } from '../hci/adapters.js';
import {
  noAdapterAdvice,
  openingAdvice,
  permissionAdvice,
  sharedAdvice,
  silentAdvice,
  userChannelAdvice,
} from '../hci/advice.js';
import type { HciSpec, NamedSpec, OwnSpec } from '../hci/spec.js';
import type { BleError, BleLimits } from '../ports.js';
import { DEFAULT_MEMORY, type Memory } from '../advertisement-cache.js';
import type { Warn } from './noble.js';
import { NobleRadio } from './radio.js';
import { openTransport, type Tap, type Transport } from './transport.js';

/** How long an adapter may take to report its state, ms. */
const OPEN_LIMIT = 10_000;

/** How long an adapter may be silent before a warning, ms. */
const SILENCE_LIMIT = 800;

export interface OpenRadioOptions {
  readonly hci: HciSpec | OwnSpec;
  readonly limits: BleLimits;
  /** Called with errors of noble that were handled. */
  readonly warn: Warn;
  readonly time?: TimeSource;
  readonly memory?: Memory;
  readonly tap?: Tap;
}

/**
 * Opens the adapter that `hci` names, by default the first that is down, else the first that is up, and waits until it reports
 * its state. `warn` gets the drawbacks of a shared adapter, and a message when an adapter takes long to answer.
 * Left `AdapterUnavailable`: the adapter does not exist, may not be used, or does not answer; the reason has a remedy.
 */
export const openRadio = (options: OpenRadioOptions): TaskEither<BleError, NobleRadio> => {
  const { hci } = options;
  if (hci.kind !== 'default') return openNamed(hci, options);
  return async () => {
    let choices: readonly NamedSpec[];
    try {
      choices = serverChoices(listAdapters());
    } catch (error) {
      return E.left(unavailable(openingAdvice(error, 'default', OTHERWISE)));
    }
    const refusals: BleError[] = [];
    for (const choice of choices) {
      const opened = await openNamed(choice, options)();
      if (E.isRight(opened)) return opened;
      refusals.push(opened.left);
    }
    return E.left(refusals[0] ?? unavailable(noAdapterAdvice(OTHERWISE)));
  };
};

const openNamed = (hci: NamedSpec | OwnSpec, options: OpenRadioOptions): TaskEither<BleError, NobleRadio> => {
  const { limits, warn, time = systemTime, memory = DEFAULT_MEMORY, tap } = options;
  return async () => {
    const transport = openTransport(hci, time, tap);
    const adviceOn = (error: unknown): string =>
      hci.kind === 'user'
        ? userChannelAdvice(error, {
            ...{ device: hci.device, name: transport.name, otherwise: OTHERWISE },
            ifUp: `share it with --hci hci${hci.device}`,
          })
        : openingAdvice(error, transport.name, OTHERWISE);
    const radio = new NobleRadio({
      ...{ transport, limits, time, memory, warn },
      explain: (state, refusal) => ({
        what: refusal === undefined ? stateAdvice(state, transport, hci) : adviceOn(refusal),
      }),
    });
    try {
      radio.start();
    } catch (error) {
      transport.close();
      return E.left(unavailable(adviceOn(error)));
    }
    let reason = '';
    transport.on('failed', (error: Error) => (reason = ` (${systemReason(error)})`));
    const cancel = time.after(SILENCE_LIMIT, () =>
      warn(`${transport.name} does not answer yet${reason}: waiting up to ${OPEN_LIMIT / 1000} s`, undefined),
    );
    // An adapter that is down and shared with the kernel reports no state, and may come up.
    const reported = await wait({ time, ms: OPEN_LIMIT }, (settle) => radio.onState(settle))();
    cancel();
    if (E.isRight(reported) && radio.state !== 'unauthorized' && radio.state !== 'unsupported') {
      if (hci.kind === 'native') warn(sharedAdvice(hci.device), undefined);
      return E.right(radio);
    }
    const { state } = radio;
    await radio.close();
    return E.left(unavailable(stateAdvice(state, transport, hci)));
  };
};

const unavailable = (reason: string): BleError => ({ _tag: 'AdapterUnavailable', reason });

const OTHERWISE = 'use --hci tcp:HOST:PORT with `npx airbench air`';

const stateAdvice = (
  state: NobleRadio['state'],
  { name, kernel }: Transport,
  { kind }: NamedSpec | OwnSpec,
): string => {
  switch (state) {
    case 'unauthorized':
      return permissionAdvice(name);
    case 'unsupported':
      return `the Bluetooth adapter ${name} has no Bluetooth Low Energy`;
    case 'unknown':
    case 'poweredOff':
    case 'poweredOn':
      if (kernel) return silentAdvice(name);
      if (kind === 'user') return `${name} does not answer: plug it in again, or use another adapter`;
      return `nothing answers at ${name}: start it (\`npx airbench air\` is a virtual one), or name another with --hci`;
  }
};

export type { HciSpec } from '../hci/spec.js';
export type { Advertisement, BleError, BleLimits, GattProfile, Link, Radio } from '../ports.js';
export type { FoundService } from './attributes.js';
export type { NobleLink } from './link.js';
export type { Report } from './noble.js';
export { NobleRadio, type Tap };
