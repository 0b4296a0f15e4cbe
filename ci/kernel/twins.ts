import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { startAir, type RunningAir } from './air.js';
import { REPORTS } from './setup.js';

/** A radio that gives its two adapters one address, as two radios behind one port do. */
export const startTwins = async (signal: AbortSignal): Promise<Pick<RunningAir, 'hciPort' | 'end'>> => {
  const airs: RunningAir[] = [];
  for (const name of ['one', 'other']) airs.push(await startAir(`${REPORTS}/${name}.btsnoop`, signal));
  const streams: Socket[] = [];
  const server = createServer((guest) => {
    const radio = connect({ host: '127.0.0.1', port: airs[streams.length / 2]?.hciPort ?? 0 });
    streams.push(guest, radio);
    for (const [from, to] of [
      [guest, radio],
      [radio, guest],
    ] as const)
      from.on('error', () => to.destroy()).pipe(to);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    hciPort: (server.address() as AddressInfo).port,
    end: async () => {
      server.close();
      for (const stream of streams) stream.destroy();
      await Promise.all(airs.map(({ end }) => end()));
    },
  };
};
