/** The radio of a server that names none. */
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Part } from '../../ble/combined-radio.js';
import type { ListedAdapter } from '../../ble/hci/adapters.js';
import { firstLineOf, loadingAdvice, SETCAP } from '../../ble/hci/advice.js';
import type { UserSpec } from '../../ble/hci/spec.js';

/** Left: a message. */
export type OpenPart = TE.TaskEither<string, Part>;

/** The ways to a radio on this machine; `A`: the radio of an adapter, or its flags. */
export interface Ways<A = Part> {
  /** @throws the errors of the native module. */
  readonly listAdapters: () => readonly ListedAdapter[];
  readonly take: (adapter: UserSpec) => TE.TaskEither<string, A>;
  readonly bluez: TE.TaskEither<string, A>;
  /** Whether this user may share an adapter that is up by a raw socket. */
  readonly mayShare: () => boolean;
  readonly warn: (message: string) => void;
}

const OTHERWISE =
  'a Bluetooth proxy with --proxy auto; a virtual radio with `npx airbench air` and --hci tcp:localhost:6402';

const shareAdvice = (device: number, mayShare: boolean): string =>
  `hci${device} is up: share it by a raw socket with --hci hci${device}` +
  (mayShare ? '' : `, which this user may do after \`${SETCAP}\``);

/** Opens the first adapter that is down and may be taken, else an adapter of BlueZ. Left: the reasons against each way. */
export const chooseRadio =
  <A>({ listAdapters, take, bluez, mayShare, warn }: Ways<A>): TE.TaskEither<string, A> =>
  async () => {
    const reasons: string[] = [];
    let adapters: readonly ListedAdapter[] = [];
    try {
      adapters = listAdapters();
      if (adapters.length === 0) reasons.push('this machine has no Bluetooth adapter');
    } catch (error) {
      const advice = loadingAdvice(error);
      reasons.push(
        advice === undefined
          ? `no Bluetooth adapter can be opened (${firstLineOf(error)})`
          : `${advice.what}: run ${advice.fix}`,
      );
    }
    for (const { device } of adapters.filter(({ up }) => !up)) {
      const taken = await take({ kind: 'user', device })();
      if (E.isRight(taken)) return taken;
      reasons.push(taken.left);
    }
    const [shared] = adapters.filter(({ up }) => up).map(({ device }) => device);
    const opened = await bluez();
    if (E.isRight(opened)) {
      if (shared !== undefined && mayShare())
        warn(
          `hci${shared} is up: BlueZ uses it for this server; to share it by a raw socket as before, start with --hci hci${shared}`,
        );
      return opened;
    }
    if (shared !== undefined) reasons.push(shareAdvice(shared, mayShare()));
    return E.left(`no radio can be used: ${[...reasons, opened.left].join('; ')}. Other ways: ${OTHERWISE}`);
  };
