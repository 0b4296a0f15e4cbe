/** The REST interface: decode, do, encode. */
import * as E from 'fp-ts/lib/Either.js';
import { flow, pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type * as t from 'io-ts';
import type { DeviceError } from '../ble/device-error.js';
import type { Radio } from '../ble/ports.js';
import { decode, queryFields } from '../codecs/index.js';
import { fromDeviceError, type ApiRequest, type JsonRoute } from '../http/index.js';
import type { Clock } from '../time.js';
import {
  BatteryResponse,
  CalibrateResponse,
  ConnectRequest,
  ConnectResponse,
  DisconnectResponse,
  LedRequest,
  LedResponse,
  PulseRequest,
  PulseResponse,
  ScanQuery,
  ScanResponse,
  SessionRequest,
  SessionsResponse,
  Status,
  TapsRequest,
  TapsResponse,
} from './contract.js';
import { openScan } from './scan.js';
import type { Session } from './session.js';
import type { Sessions } from './sessions.js';

export interface DiceRoutesOptions {
  readonly radio: Radio;
  readonly sessions: Sessions;
  readonly clock: Clock;
  /** How long a scan listens unless told otherwise, ms. */
  readonly scanMs: number;
}

const body = <A>(codec: t.Decoder<unknown, A>, request: ApiRequest): TE.TaskEither<DeviceError, A> =>
  TE.fromEither(decode(codec, 'the body')(request.body));

type Handler = (request: ApiRequest) => TE.TaskEither<DeviceError, Json>;

const route = (
  method: JsonRoute['method'],
  path: string,
  handler: Handler,
  body: JsonRoute['body'] = method === 'POST' ? 'required' : 'ignored',
): JsonRoute => ({ method, path, body, handler: flow(handler, TE.mapLeft(fromDeviceError)) });

const post = (path: string, handler: Handler): JsonRoute => route('POST', path, handler);

const get = (path: string, handler: Handler): JsonRoute => route('GET', path, handler);

export const diceRoutes = ({ radio, sessions, clock, scanMs }: DiceRoutesOptions): readonly JsonRoute[] => {
  const scan = openScan(radio);

  const connected = (id: string): TE.TaskEither<DeviceError, Session> =>
    TE.fromEither(
      pipe(
        sessions.find(id),
        E.chain((session) => session.connected),
      ),
    );

  /** A call with a session in its body. */
  const call = <A extends { readonly session_id: string }>(
    path: string,
    codec: t.Decoder<unknown, A>,
    use: (session: Session, given: A, signal: AbortSignal) => TE.TaskEither<DeviceError, Json>,
  ): JsonRoute =>
    post(path, (request) =>
      pipe(
        body(codec, request),
        TE.chain((given) =>
          pipe(
            connected(given.session_id),
            TE.chain((session) => use(session, given, request.signal)),
          ),
        ),
      ),
    );

  return [
    route(
      'POST',
      '/api/scan',
      ({ query, signal }) =>
        pipe(
          TE.fromEither(decode(ScanQuery, 'the query')(queryFields(query))),
          TE.chainW(({ duration_secs }) =>
            scan({ clock, ms: duration_secs === undefined ? scanMs : duration_secs * 1000, signal }),
          ),
          TE.map(ScanResponse.encode),
        ),
      'ignored',
    ),
    post('/api/connect', (request) =>
      pipe(
        body(ConnectRequest, request),
        TE.chain((given) => sessions.connect(given, request.signal)),
        TE.map(({ id }) => ConnectResponse.encode({ session_id: id })),
      ),
    ),
    post('/api/disconnect', (request) =>
      pipe(
        body(SessionRequest, request),
        TE.chainFirst(({ session_id }) => sessions.disconnect(session_id)),
        TE.map(({ session_id }) => DisconnectResponse.encode({ session_id, disconnected: true })),
      ),
    ),
    call('/api/led', LedRequest, (session, change) =>
      pipe(
        session.setLeds(change),
        TE.map((leds) => LedResponse.encode({ session_id: session.id, ...leds })),
      ),
    ),
    call('/api/pulse', PulseRequest, (session, { count, on_ms, off_ms, color, leds = 'both' }) =>
      pipe(
        session.pulse({ count, onMs: on_ms, offMs: off_ms, colour: color, mode: 'parallel', leds }),
        TE.map(() => PulseResponse.encode({ session_id: session.id, count, on_ms, off_ms, color, leds })),
      ),
    ),
    call('/api/taps', TapsRequest, (session, change) =>
      pipe(
        session.setTaps(change),
        TE.map((taps) => TapsResponse.encode({ session_id: session.id, ...taps })),
      ),
    ),
    call('/api/calibrate', SessionRequest, (session, _given, signal) =>
      pipe(
        session.calibrate(signal),
        TE.map(({ face, offset }) => CalibrateResponse.encode({ session_id: session.id, face, offset })),
      ),
    ),
    get('/api/battery/:session_id', ({ params }) =>
      pipe(
        connected(params['session_id'] ?? ''),
        TE.chain((session) =>
          pipe(
            session.battery,
            TE.map((battery_level) => BatteryResponse.encode({ session_id: session.id, battery_level })),
          ),
        ),
      ),
    ),
    get('/api/status/:session_id', ({ params }) =>
      pipe(
        TE.fromEither(sessions.find(params['session_id'] ?? '')),
        TE.map(({ status }) => Status.encode(status)),
      ),
    ),
    get('/api/sessions', () => TE.right(SessionsResponse.encode(sessions.all.map(({ status }) => status)))),
  ];
};
