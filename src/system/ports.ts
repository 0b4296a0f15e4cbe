import { createServer } from 'node:net';

/** Listens on a port of an address for a moment. Resolves with the error if that fails, undefined if it does not. */
export const listenOnce = (address: string, port: number): Promise<Error | undefined> =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', resolve);
    server.listen(port, address, () => server.close(() => resolve(undefined)));
  });
