import { setTimeout } from 'node:timers/promises';
import { After, AfterAll, Before, BeforeAll, Status, setDefaultTimeout } from '@cucumber/cucumber';
import { openBench, type Bench } from './profile.js';
import { shareBench, type DiceWorld } from './world.js';

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
Before(async function (this: DiceWorld) {
  await endSessions(this);
  await this.act('/reset', {});
  await ready(this);
});

After(async function (this: DiceWorld, { result }) {
  for (const stream of this.streams) stream.close();
  if (result?.status === Status.FAILED) await attachEvidence(this);
});

/** The server's adapter may just have been switched on again; nothing but asking tells when it is. */
const ready = async (world: DiceWorld): Promise<void> => {
  while ((await world.server.get('/ready')).status !== 200) await setTimeout(20);
};

const endSessions = async (world: DiceWorld): Promise<void> => {
  const { json } = await world.server.get('/api/sessions');
  for (const { session_id } of json as readonly { session_id: string }[]) {
    await world.server.post('/api/disconnect', { session_id });
  }
};

const attachEvidence = async (world: DiceWorld): Promise<void> => {
  world.attach(world.server.transcript.join('\n'), { mediaType: 'text/plain', fileName: 'server.txt' });
  world.attach(world.control.transcript.join('\n'), { mediaType: 'text/plain', fileName: 'control.txt' });
  for (const stream of world.streams) {
    world.attach(stream.messages.join('\n'), { mediaType: 'text/plain', fileName: 'stream.txt' });
  }
  const trace = await fetch(`${world.control.baseUrl}/trace`);
  world.attach(Buffer.from(await trace.arrayBuffer()), {
    mediaType: 'application/octet-stream',
    fileName: 'air.btsnoop',
  });
};
