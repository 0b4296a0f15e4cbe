/** A broker's address, and the client's credentials there. */
import type { IClientOptions } from 'mqtt';
import { openWebSocket } from './web-socket.js';

export interface BrokerOptions {
  /** `mqtt://` or `ws://`, over TLS `mqtts://` or `wss://`, with an optional user and port, and for WebSockets a path. */
  readonly url: URL;
  readonly password?: string | undefined;
  /** PEM: the authority for the broker's certificate; the certificate of this server and its key. */
  readonly ca?: Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
  /** The client id, and the server's name for the log. The broker ends an earlier connection with the same id. Random by default. */
  readonly client?: { readonly id: string; readonly name: string } | undefined;
}

/** The timeout for accepting a connection, a little longer than that for its WebSocket, and then for the subscriptions. */
export const CONNECT_MS = 10_000;

/** The client's credentials for a broker, the authority for the broker's certificate, and its WebSocket. */
export const accessOf = ({ url, password, ca, cert, key, client }: BrokerOptions): IClientOptions => ({
  ...(client !== undefined && { clientId: client.id }),
  ...(url.username !== '' && { username: decodeURIComponent(url.username) }),
  ...(password !== undefined && { password }),
  ...(ca !== undefined && { ca }),
  ...(cert !== undefined && { cert }),
  ...(key !== undefined && { key }),
  // MQTT.js would take `clientId` of the query, also for several servers.
  query: {},
  createWebsocket: (_url, protocols) =>
    openWebSocket(addressOf({ url }), protocols, { ca, cert, key, handshakeTimeout: CONNECT_MS - 1_000 }),
});

/** The broker's URL without the user, which MQTT.js would read from it too. */
export const addressOf = ({ url }: BrokerOptions): string => {
  const broker = new URL(url);
  broker.username = '';
  return broker.href;
};
