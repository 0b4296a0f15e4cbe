import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Radio } from '../ble/ports.js';
import type { OperationTypes, Endpoints } from '../contract/index.js';
import { serverRoutes, type Route } from './route.js';

export interface Health<Details> {
  /** Whether the service can do its work now; if not, `reason` is a message. */
  readonly ready: boolean;
  readonly reason: string;
  /** The other fields of `GET /health`. */
  readonly details: Details;
}

type HealthTypes<Details> = Readonly<
  Record<'health', OperationTypes<unknown, Details & { readonly status: 'ok' | 'degraded' }>> &
    Record<'ready', OperationTypes<unknown, { readonly status: 'ready' }>>
>;

/** The routes of `healthEndpoints`. */
export const healthRoutes = <Details extends object>(
  endpoints: Endpoints<HealthTypes<Details>>,
  read: () => Health<Details>,
): readonly Route[] =>
  serverRoutes<HealthTypes<Details>>(endpoints, {
    health: () => {
      const { ready, details } = read();
      return TE.right({ ...details, status: ready ? 'ok' : 'degraded' });
    },
    ready: () => {
      const { ready, reason } = read();
      return ready
        ? TE.right({ status: 'ready' })
        : TE.left({ _tag: 'Unavailable', code: 'not_ready', message: reason });
    },
  });

/** The health of a service that needs an adapter or a proxy, which must be `poweredOn` and hear devices. */
export const adapterHealth = <Details extends object>(
  { state: adapter, parts = [] }: Pick<Radio, 'state' | 'parts'>,
  details: Details,
): Health<Details & { readonly adapter: string }> => ({
  ready: adapter === 'poweredOn' && (parts.length === 0 || parts.some(({ hears }) => hears)),
  reason:
    adapter === 'poweredOn' ? 'no Bluetooth proxy hears anything' : `the Bluetooth adapter is ${adapter}`,
  details: { adapter, ...details },
});
