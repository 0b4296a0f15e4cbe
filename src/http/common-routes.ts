/** The routes of every server: health, log, metrics, software, radios and documents. */
import { pipe } from 'fp-ts/lib/function.js';
import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import { OPEN_ACCESS, type Access } from '../access/access.js';
import { documentsOf, pageFiles } from '../api-docs/index.js';
import { lazily } from '../async/tasks.js';
import type { TimeSource } from '../async/time.js';
import type { Address, Radio } from '../ble/ports.js';
import { problemText } from '../ble/problem.js';
import {
  aboutEndpoints,
  documentEndpoints,
  logEndpoints,
  metricsEndpoints,
  radioEndpoints,
  type Contract,
  type Endpoint,
  type Endpoints,
  type OperationTypes,
  type TypesOf,
} from '../contract/index.js';
import type { Metrics } from '../metrics/metrics.js';
import { failure } from '../operations/index.js';
import { setVerbosity, verbosityOf } from '../system/log.js';
import { commit, version } from '../system/package.js';
import { fileRoute, serverRoutes, type Route } from './route.js';

export interface Health<Details> {
  /** Whether the service can do its work now; otherwise `reason` is a message. */
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
      return ready ? TE.right({ status: 'ready' }) : TE.left(failure('not_ready', reason));
    },
  });

/** The health of a service that needs an adapter or a proxy that is `poweredOn` and hears devices. */
export const adapterHealth = <Details extends object>(
  { state: adapter, parts = [], problem }: Pick<Radio, 'state' | 'parts' | 'problem'>,
  details: Details,
): Health<Details & { readonly adapter: string; readonly problem: string | null }> => {
  const ready = adapter === 'poweredOn' && (parts.length === 0 || parts.some(({ hears }) => hears));
  const reason = problem === undefined ? `the Bluetooth adapter is ${adapter}` : problemText(problem);
  return { ready, reason, details: { adapter, problem: ready ? null : reason, ...details } };
};

/** The routes of `logEndpoints`. */
export const logRoutes = (log: Logger): readonly Route[] =>
  serverRoutes<TypesOf<typeof logEndpoints>>(logEndpoints, {
    log: () => TE.right({ verbose: verbosityOf(log) }),
    setLog: ({ body: { verbose } }) => {
      setVerbosity(log, verbose);
      return TE.right({ verbose });
    },
  });

export const metricsRoutes = ({ text }: Metrics): readonly Route[] =>
  serverRoutes<TypesOf<typeof metricsEndpoints>>(metricsEndpoints, {
    metrics: () =>
      pipe(
        TE.fromTask(text),
        TE.map((figures) => Buffer.from(figures)),
      ),
  });

/** The routes of `aboutEndpoints`, for a server named `name` that starts now. */
export const aboutRoutes = (name: string, { parts = [] }: Radio, time: TimeSource): readonly Route[] => {
  const started = time.date().toISOString();
  return serverRoutes<TypesOf<typeof aboutEndpoints>>(aboutEndpoints, {
    about: () =>
      TE.right({
        ...{ name, version, commit, started, node: process.version },
        radios: parts.map((part) => part.name),
      }),
  });
};

/** The routes of `radioEndpoints`, for `devices` of the server. */
export const radioRoutes = (radio: Radio, devices: () => readonly Address[]): readonly Route[] =>
  serverRoutes<TypesOf<typeof radioEndpoints>>(radioEndpoints, {
    radios: () =>
      TE.right(
        (radio.parts ?? []).map(({ name, isUp, problem, slots, signalOf, isLinked }) => ({
          ...{ name, up: isUp, problem: problem ?? null, slots: slots ?? null },
          devices: devices().flatMap((address) => {
            const [rssi, linked] = [signalOf(address) ?? null, isLinked(address)];
            return rssi === null && !linked ? [] : [{ address, rssi, linked }];
          }),
        })),
      ),
  });

/** The route of a document, whose clients share one buffer. */
const documentRoute = (row: Endpoint<unknown, Json>, document: () => JsonRecord): readonly Route[] =>
  fileRoute(
    { ...row, write: (bytes) => bytes },
    lazily(() => Buffer.from(JSON.stringify(document()))),
  );

/** The documents of `contract` for a server with `access`, and their page with its files. */
export const documentRoutes = (contract: Contract, { required }: Access = OPEN_ACCESS): readonly Route[] => {
  const { openapi, asyncapi, page } = documentsOf(contract, required ? 'required' : 'none');
  return [
    ...documentRoute(documentEndpoints.openapi, openapi),
    ...documentRoute(documentEndpoints.asyncapi, asyncapi),
    ...fileRoute(documentEndpoints.docs, page),
    ...pageFiles.flatMap(({ endpoint, read, coding }) => fileRoute(endpoint, read, coding)),
  ];
};
