/** A client of a proxy's API that records all messages. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { systemTime } from '../../src/async/time.js';
import {
  ApiConnection,
  encryptedClient,
  plainFraming,
  type AnyMessage,
  type MessageOf,
  type Name,
} from '../../src/protocols/esphome/index.js';
import { Arrivals } from '../../simulators/testing/internal/arrivals.js';
import { signalled } from './bluetooth-fixture.js';

export const openApiClient = async (port: number, key?: Buffer) => {
  const received: AnyMessage[] = [];
  const arrivals = new Arrivals();
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  const ready = signalled();
  const ended = signalled();
  const connection = new ApiConnection({
    ...{ socket, time: systemTime, ended: () => ended.fulfil(), ready: () => ready.fulfil() },
    frame: (user) => (key === undefined ? plainFraming(user) : encryptedClient(user, key)),
    message: (message) => {
      received.push(message);
      arrivals.notify();
    },
  });
  await ready.promise;

  /** Takes the first message of one of these names. */
  const next = (...names: readonly Name[]): Promise<AnyMessage> =>
    arrivals.until(
      () => {
        const at = received.findIndex(({ name }) => names.includes(name));
        return at < 0 ? undefined : received.splice(at, 1)[0];
      },
      `no ${names.join(' or ')}`,
    );

  const send = <N extends Name>(name: N, message?: Partial<MessageOf<N>>): boolean =>
    connection.send(name, message);

  return {
    ...{ received, next, send, ended: ended.promise },
    ask: <N extends Name>(name: N, message: Partial<MessageOf<N>>, ...answers: readonly Name[]) => {
      send(name, message);
      return next(...answers);
    },
    /** Resolves when the proxy has answered all earlier messages. */
    settled: async (): Promise<void> => {
      send('DeviceInfoRequest');
      await next('DeviceInfoResponse');
    },
    /** Resets the connection. */
    end: async (): Promise<void> => {
      const closed = socket.closed || once(socket, 'close');
      socket.resetAndDestroy();
      await closed;
    },
  };
};

export type ApiClient = Awaited<ReturnType<typeof openApiClient>>;
