/**
 * Connects a device through a proxy: `proxy-client PROXY-PORT OTHER-PROXY-PORT ADDRESS`; `{"known": true}` when its services
 * are cached, else as for the first time, through the other proxy: each serves one client.
 */
import { systemTime } from '../../../src/async/time.js';
import { openProxyRadio } from '../../../src/ble/esphome/index.js';
import type { Radio } from '../../../src/ble/ports.js';
import { NUS_NOTIFY, NUS_SERVICE, NUS_WRITE } from '../../../src/dice/drivers/godice/protocol/index.js';
import { right } from '../../support/either.js';
import { onQuestion, say } from './said.js';

const [port, otherPort, address = ''] = process.argv.slice(2);
const PROFILE = [{ service: NUS_SERVICE, characteristics: [NUS_WRITE, NUS_NOTIFY] }];

const open = async (port: string | undefined): Promise<Radio> =>
  right(
    await openProxyRadio({
      proxies: [{ host: '127.0.0.1', port: Number(port), key: undefined }],
      ...{ limits: { connect: 10_000, discover: 10_000, gatt: 10_000 }, time: systemTime },
      ...{ inform: () => undefined, warn: (message: string) => console.error(message) },
    })(),
  );

/** Milliseconds. */
const connect = async (radio: Radio): Promise<number> => {
  await new Promise<void>((resolve) => {
    const stop = radio.listen((advertisement) => {
      if (advertisement.address !== address) return;
      stop();
      resolve();
    });
  });
  const begun = performance.now();
  const link = right(await radio.connect(address, PROFILE)());
  const took = performance.now() - begun;
  await link.disconnect();
  return took;
};

const known = await open(port);
await connect(known);

onQuestion(async ({ known: isKnown }) => {
  if (isKnown === true) return { ms: await connect(known) };
  const radio = await open(otherPort);
  const ms = await connect(radio);
  await radio.close();
  return { ms };
});
say({});
