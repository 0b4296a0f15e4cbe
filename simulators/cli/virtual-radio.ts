import { existsSync, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Air, H4Server, Trace } from '../radio/index.js';
import { nthAddress } from '../ble/device-address.js';
import { describeHciSpec } from '../../src/ble/hci/spec.js';
import { Vhci } from '../../src/ble/hci/vhci.js';
import { listenError, listenMessage } from '../../src/http/index.js';
import { codeOf, systemReason } from '../../src/system/system-error.js';

/** Opens the capture of a radio, which `file` receives too; loads its room on demand. Left: a message. */
export const openTrace = async (file: string | undefined): Promise<E.Either<string, Trace>> => {
  const { Trace } = await import('../radio/index.js');
  return E.tryCatch(
    () => new Trace(file === undefined ? {} : { file }),
    (thrown) => `the trace ${file ?? ''} cannot be written: ${systemReason(thrown)}`,
  );
};

export interface RadioFlags {
  readonly hciAddress: string;
  readonly hciPort: number;
  readonly hciSocket: string | undefined;
  readonly maxLinks: number;
  /** The number of adapters of the kernel on the radio. */
  readonly vhci: number;
  readonly pace: 'fast' | 'real';
  readonly seed: number;
  readonly strict: boolean;
  readonly trace: string | undefined;
}

/** A virtual radio, which hosts of other processes can use once it listens. */
export interface VirtualRadio {
  readonly air: Air;
  readonly trace: Trace;
  readonly adapters: H4Server;
  /** Left is a message. */
  readonly listen: TE.TaskEither<string, { readonly hciPort: number; readonly ready: string }>;
  /** Makes the adapters of the kernel in the flags. Right: a line for each adapter. Left: a message. */
  readonly plugIn: TE.TaskEither<string, readonly string[]>;
  /** Call this after the last device has left the air. */
  readonly close: () => Promise<void>;
}

/** The H4 endpoint in the notation of `--hci`. */
export const hciAt = ({ hciAddress }: Pick<RadioFlags, 'hciAddress'>, port: number): string =>
  describeHciSpec({ kind: 'tcp', host: hciAddress, port });

const pathReason = (path: string, thrown: unknown): string => {
  // Node reports EACCES for a folder that does not exist.
  if (!existsSync(dirname(path))) return 'there is no such folder';
  if (codeOf(thrown) !== 'EADDRINUSE') return systemReason(thrown);
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true
    ? 'it is in use: stop what uses it or choose another path'
    : 'it is not a socket, and is left alone: choose another path';
};

const listenOn = (
  adapters: H4Server,
  at: Parameters<H4Server['listen']>[0],
  reason: (thrown: unknown) => string,
): TE.TaskEither<string, number> =>
  TE.tryCatch(
    () => adapters.listen(at),
    (thrown) => `the virtual radio ${reason(thrown)}`,
  );

/** The number of attempts to make an adapter whose kernel gets its answers in time. */
const ATTEMPTS = 3;

/** An address unique on this kernel: bluetoothd ignores an adapter whose address is in use. */
const addressOf = ({ index }: Vhci): string => nthAddress('02:A1:B1', index + 1);

/** Makes an adapter of the kernel on the radio. Right: a line about the adapter. Left: a message. */
const plugIn = (adapters: H4Server, attempts = ATTEMPTS): TE.TaskEither<string, string> =>
  pipe(
    Vhci.open,
    TE.chain((vhci) => async () => {
      const address = adapters.attach(vhci, { address: addressOf(vhci) });
      if (await vhci.inTime) return E.right(`adapter  ${vhci.name}  ${address}`);
      return attempts > 1
        ? plugIn(adapters, attempts - 1)()
        : E.left(
            'the kernel waits 2 s for a new adapter, and this machine is too busy to answer it till then',
          );
    }),
  );

/** Opens air, trace and H4 endpoint; loads their rooms on demand. Left: a message. */
export const openVirtualRadio =
  (flags: RadioFlags): TE.TaskEither<string, VirtualRadio> =>
  async () => {
    const { Air, H4Server } = await import('../radio/index.js');
    const traced = await openTrace(flags.trace);
    if (E.isLeft(traced)) return traced;
    const trace = traced.right;
    const { hciAddress: host, hciPort: port, hciSocket: path } = flags;
    const air = new Air({ pace: flags.pace, seed: flags.seed, strict: flags.strict, trace });
    const adapters = new H4Server(air, { maxLinks: flags.maxLinks });
    return E.right({
      air,
      trace,
      adapters,
      listen: pipe(
        listenOn(adapters, { host, port }, (thrown) => listenMessage(listenError(host, port, thrown))),
        TE.chainFirst(() =>
          path === undefined
            ? TE.right(0)
            : listenOn(
                adapters,
                { path },
                (thrown) => `cannot listen on ${path}: ${pathReason(path, thrown)}`,
              ),
        ),
        TE.map((hciPort) => {
          const places = [hciAt(flags, hciPort), ...(path === undefined ? [] : [`unix:${path}`])];
          return { hciPort, ready: ['virtual radio', ...places].join('  ') };
        }),
      ),
      plugIn: TE.sequenceSeqArray(Array.from({ length: flags.vhci }, () => plugIn(adapters))),
      close: async () => {
        await adapters.close();
        await trace.close();
      },
    });
  };
