import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Air, H4Server } from '../../simulators/radio/index.js';
import { describeHciSpec } from '../ble/hci/spec.js';
import { messageOf } from './sentence.js';

export interface RadioFlags {
  readonly hciAddress: string;
  readonly hciPort: number;
  readonly hciSocket: string | undefined;
  readonly maxLinks: number;
  readonly pace: 'fast' | 'real';
  readonly seed: number;
  readonly strict: boolean;
  readonly trace: string | undefined;
}

/** A virtual radio, which hosts of other processes reach once it listens. */
export interface VirtualRadio {
  readonly air: Air;
  readonly adapters: H4Server;
  /** Left is a sentence. */
  readonly listen: () => Promise<E.Either<string, { readonly hciPort: number; readonly ready: string }>>;
  /** To be called once nobody is left on the air. */
  readonly close: () => Promise<void>;
}

/** Where the H4 endpoint is, as `--hci` takes it. */
export const hciAt = ({ hciAddress }: Pick<RadioFlags, 'hciAddress'>, port: number): string =>
  describeHciSpec({ kind: 'tcp', host: hciAddress, port });

/** Opens air, trace and H4 endpoint; loaded only by those who want one. Left is a sentence. */
export const openVirtualRadio =
  (flags: RadioFlags): TE.TaskEither<string, VirtualRadio> =>
  async () => {
    const { Air, H4Server, Trace } = await import('../../simulators/radio/index.js');
    const traced = E.tryCatch(
      () => new Trace(flags.trace === undefined ? {} : { file: flags.trace }),
      (thrown) => `the trace cannot be written: ${messageOf(thrown)}`,
    );
    if (E.isLeft(traced)) return traced;
    const trace = traced.right;
    const air = new Air({ pace: flags.pace, seed: flags.seed, strict: flags.strict, trace });
    const adapters = new H4Server(air, { maxLinks: flags.maxLinks });
    return E.right({
      air,
      adapters,
      listen: async () => {
        try {
          const hciPort = await adapters.listen({ host: flags.hciAddress, port: flags.hciPort });
          if (flags.hciSocket !== undefined) await adapters.listen({ path: flags.hciSocket });
          const places = [
            hciAt(flags, hciPort),
            ...(flags.hciSocket === undefined ? [] : [`unix:${flags.hciSocket}`]),
          ];
          return E.right({ hciPort, ready: ['virtual radio', ...places].join('  ') });
        } catch (error) {
          return E.left(`the virtual radio cannot listen: ${messageOf(error)}`);
        }
      },
      close: async () => {
        await adapters.close();
        await trace.close();
      },
    });
  };
