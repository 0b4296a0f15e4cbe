import { expect } from 'chai';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { it } from 'mocha';
import { serveControl } from '../../simulators/control/index.js';
import { Trace } from '../../simulators/radio/index.js';
import { openRadio } from '../../src/ble/noble/index.js';
import type { Advertisement, BleError, Link, Radio } from '../../src/ble/ports.js';
import { NUS_NOTIFY, NUS_SERVICE, NUS_WRITE } from '../../src/protocols/godice/index.js';
import { systemTime } from '../../src/async/time.js';
import { LONG_LIMITS, nextAdvertisement as nextOf } from '../support/bluetooth-fixture.js';
import { at, withoutId } from '../support/client.js';
import { HttpClient, type Answer } from '../../simulators/testing/internal/http-client.js';
import { right } from '../support/either.js';
import { silent } from '../support/log.js';
import { jsonOf, rows } from '../support/rows.js';
import { openWorld } from '../support/world.js';

const done = async <A>(task: TaskEither<unknown, A>): Promise<A> => right(await task());

/** Functions that close resources after a test, the last first. */
export const open: (() => Promise<unknown>)[] = [];
export const closeAll = async (): Promise<void> => {
  for (const close of open.splice(0).reverse()) await close();
};

export const openFixture = async (devices: readonly object[] = [{ kind: 'dice' }]) => {
  const { air, world, port: hciPort, close } = await openWorld(devices, { trace: new Trace() });
  open.push(close);
  const server = await done(
    serveControl({ world, address: '127.0.0.1', port: 0, time: systemTime, log: silent }),
  );
  open.push(server.close);
  const url = at(server.port);
  const client = new HttpClient(url);
  /** `body`: a text is sent unchanged, any other value as JSON. */
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await client.send({ method, path, ...(body !== undefined && { body: sent }) });
    return { ...answer, json: withoutId(answer.json, answer.headers.get('x-request-id')) };
  };
  return { air, world, call, url, hciPort };
};

/** A test for each refusal of the control API: request, body, answer. */
export const itRefuses = (
  table: string,
  fixture: () => Promise<Pick<Fixture, 'call'>> = openFixture,
): void => {
  for (const [request, body, refusal] of rows(3, table)) {
    it(`refuses ${request} ${body}`, async () => {
      const { call } = await fixture();
      const [method = '', path = ''] = request.split(' ');
      const { status, json } = await call(method, path, method === 'DELETE' ? undefined : jsonOf(body));
      const { code, error } = json as { readonly code: string; readonly error: string };
      expect(`${status} ${code} ${error}`).to.contain(refusal);
    });
  }
};

type Fixture = Awaited<ReturnType<typeof openFixture>>;

export const DIE = 'D1:CE:00:00:00:01';

/** The radio of a server in the same air. */
export const radioIn = async ({ hciPort }: Fixture): Promise<Radio> => {
  const radio = await done(
    openRadio({
      hci: { kind: 'tcp', host: '127.0.0.1', port: hciPort },
      limits: LONG_LIMITS,
      warn: () => undefined,
    }),
  );
  open.push(radio.close);
  return radio;
};

/** The address and the UUIDs of a die. */
export interface Reached {
  readonly address: string;
  readonly service: string;
  readonly write: string;
  readonly notify: string;
}

const goDice: Reached = { address: DIE, service: NUS_SERVICE, write: NUS_WRITE, notify: NUS_NOTIFY };

/** The die's next advertisement with a name, or the next that `fits`. */
export const nextAdvertisement = (
  radio: Radio,
  address = DIE,
  fits = ({ name }: Advertisement): boolean => name !== null,
): Promise<Advertisement> => nextOf(radio, (seen) => seen.address === address && fits(seen));

export const connect = (
  radio: Radio,
  { address, service, write, notify }: Reached = goDice,
): TaskEither<BleError, Link> => radio.connect(address, [{ service, characteristics: [write, notify] }]);

/** Subscribes to a characteristic. Returns a function that waits for the next notifications and returns them in hex. */
export const subscribedTo = async (link: Link, uuid: string) => {
  const notifications: string[] = [];
  let more = (): void => undefined;
  await done(
    link.subscribe(uuid, (value) => {
      notifications.push(value.toString('hex'));
      more();
    }),
  );
  return async (count = 1): Promise<readonly string[]> => {
    while (notifications.length < count) await new Promise<void>((resolve) => (more = resolve));
    return notifications.splice(0, count);
  };
};

/** A subscribed link to the die. */
export const linkTo = async (radio: Radio, die: Reached = goDice) => {
  await nextAdvertisement(radio, die.address);
  const link = await done(connect(radio, die));
  return {
    link,
    next: await subscribedTo(link, die.notify),
    ended: (): Promise<BleError> => new Promise((resolve) => link.onEnd(resolve)),
  };
};
