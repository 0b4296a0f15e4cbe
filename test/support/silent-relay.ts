/** A relay to a server, which cuts connections without a word: nothing arrives any more, and nothing closes. */
import { connect } from 'node:net';
import { LOOPBACK, startTcp } from '../../features/support/loopback.js';

const UPGRADE = /^upgrade: *websocket\r$/im;

export const openSilentRelay = async (targetPort: number) => {
  const webSockets = new Set<() => void>();
  let isCut = false;
  const { port, sockets, close } = await startTcp((client) => {
    if (isCut) return;
    const server = connect(targetPort, LOOPBACK);
    server.on('error', () => client.destroy());
    server.once('close', () => client.destroy());
    client.once('close', () => server.destroy());
    client.once('data', (head: Buffer) => {
      if (!UPGRADE.test(head.toString())) return;
      webSockets.add(() => [client, server].forEach((end) => end.unpipe().resume()));
    });
    client.pipe(server, { end: false }).pipe(client, { end: false });
  });
  return {
    port,
    /** Cuts the open WebSockets; later connections are relayed. */
    cutWebSockets: () => {
      for (const cut of webSockets) cut();
      webSockets.clear();
    },
    /** Cuts everything, also what is opened later, until `mend`. */
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    /** Ends what was cut. */
    mend: () => {
      isCut = false;
      for (const socket of sockets) socket.destroy();
    },
    close,
  };
};
