import { setTimeout } from 'node:timers/promises';
import { After, AfterAll, Before, BeforeAll, Status, setDefaultTimeout } from '@cucumber/cucumber';
import { openBench, type Bench } from './profile.js';
import { shareBench, type BenchWorld } from './world.js';

/** The end of all patience: what a step waits for has shorter limits of its own. */
setDefaultTimeout(120_000);

let bench: Bench | undefined;

BeforeAll({ timeout: 60_000 }, async function () {
  const { profile } = this.parameters;
  bench = await openBench(typeof profile === 'string' ? profile : '');
  shareBench(bench);
});

AfterAll(async () => {
  await bench?.close();
});

/** Every scenario begins with the world as it was at the start, and no session. */
Before(async function (this: BenchWorld, { pickle }) {
  if (pickle.tags.some(({ name }) => name === '@clock')) this.useClockServer();
  else await endSessions(this);
  await this.act('/reset', {});
  await ready(this);
});

After(async function (this: BenchWorld, { result }) {
  // A clock is reconnected for ever, unless somebody disconnects it.
  for (const clock of this.clocks) {
    await (await this.client()).command({ type: 'disconnect', address: clock.address });
  }
  for (const stream of [...this.streams, ...this.clients]) stream.close();
  if (result?.status === Status.FAILED) await attachEvidence(this);
});

/** The server's adapter may just have been switched on again; nothing but asking tells when it is. */
const ready = async (world: BenchWorld): Promise<void> => {
  while ((await world.server.get('/ready')).status !== 200) await setTimeout(20);
};

const endSessions = async (world: BenchWorld): Promise<void> => {
  const { json } = await world.server.get('/api/sessions');
  for (const { session_id } of json as readonly { session_id: string }[]) {
    await world.server.post('/api/disconnect', { session_id });
  }
};

const attachEvidence = async (world: BenchWorld): Promise<void> => {
  world.attach(world.server.transcript.join('\n'), { mediaType: 'text/plain', fileName: 'server.txt' });
  world.attach(world.control.transcript.join('\n'), { mediaType: 'text/plain', fileName: 'control.txt' });
  for (const stream of world.streams) {
    world.attach(stream.messages.join('\n'), { mediaType: 'text/plain', fileName: 'stream.txt' });
  }
  for (const client of world.clients) {
    world.attach(client.transcript.join('\n'), { mediaType: 'text/plain', fileName: 'clock-socket.txt' });
  }
  const trace = await fetch(`${world.control.baseUrl}/trace`);
  world.attach(Buffer.from(await trace.arrayBuffer()), {
    mediaType: 'application/octet-stream',
    fileName: 'air.btsnoop',
  });
};
