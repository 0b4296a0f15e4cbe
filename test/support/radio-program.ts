/** A program that uses a radio: `radio-program.js PORT close|stay`. */
import * as E from 'fp-ts/lib/Either.js';
import { openRadio } from '../../src/ble/noble/index.js';
import { CHARACTERISTIC, LONG_LIMITS, PROFILE } from './bluetooth-fixture.js';

const [port, how] = process.argv.slice(2);
const opened = await openRadio({
  hci: { kind: 'tcp', host: '127.0.0.1', port: Number(port) },
  limits: LONG_LIMITS,
  warn: (message) => console.error(message),
})();
if (E.isLeft(opened)) throw new Error(opened.left._tag);
const radio = opened.right;
const address = await new Promise<string>((resolve) => {
  radio.listen((advertisement) => resolve(advertisement.address));
});
const link = await radio.connect(address, PROFILE)();
if (E.isLeft(link)) throw new Error(link.left._tag);
const written = await link.right.write(CHARACTERISTIC, Buffer.from([1]))();
if (E.isLeft(written)) throw new Error(written.left._tag);
console.log('linked');
if (how === 'close') await radio.close();
