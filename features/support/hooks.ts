import { setTimeout } from 'node:timers/promises';
import { After, AfterAll, Before, BeforeAll, Status, setDefaultTimeout } from '@cucumber/cucumber';
import { Evidence } from './evidence.js';
import { openBench, type Bench } from './profile.js';
import { shareBench, type BenchWorld } from './world.js';

/** The end of all patience: what a step waits for has shorter limits of its own. */
setDefaultTimeout(120_000);

let bench: Bench | undefined;
let evidence: Evidence | undefined;

BeforeAll({ timeout: 60_000 }, async function () {
  const profile = typeof this.parameters['profile'] === 'string' ? this.parameters['profile'] : '';
  bench = await openBench(profile);
  shareBench(bench);
  evidence = new Evidence(profile, bench);
});

AfterAll(async () => {
  await bench?.close();
});

/** Every scenario begins with the world as it was at the start, and no session. */
Before(async function (this: BenchWorld, { pickle }) {
  await evidence?.begin(this);
  if (pickle.tags.some(({ name }) => name === '@clock')) this.useClockServer();
  else await endSessions(this);
  await this.act('/reset', {});
  await ready(this);
});

After(async function (this: BenchWorld, { result }) {
  await evidence?.end(this, result?.status === Status.FAILED);
  // A clock is reconnected for ever, unless somebody disconnects it.
  for (const clock of this.clocks) {
    await (await this.client()).command({ type: 'disconnect', address: clock.address });
  }
  for (const stream of [...this.streams, ...this.clients]) stream.close();
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
