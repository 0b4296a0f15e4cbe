/** A Bluetooth proxy as the control API takes and describes it. */
import type * as t from 'io-ts';
import * as codecs from '../../src/codecs/index.js';
import { MAX_SLOTS, SUBSCRIBERS, USUAL_SLOTS } from '../../src/contract/proxies.js';
import { proxyName } from './faults.js';

const name = codecs.about('The name of the proxy and of its adapter', proxyName);
const slots = codecs.about('How many devices it connects at once', codecs.integer(1, MAX_SLOTS));
const subscriber = codecs.about(
  'The client that receives advertisements if several subscribe',
  codecs.oneOf(SUBSCRIBERS),
);
const count = (what: string) => codecs.about(what, codecs.anyInteger);

/** The body of `POST /proxies`. */
export const ProxyBody = codecs.closedObject(
  {},
  {
    name: codecs.about('The first free one of proxy-1, proxy-2 … unless given', proxyName),
    port: codecs.about('The TCP port; a free one if 0 or left out', codecs.integer(0, 65_535)),
    slots: codecs.about(`How many devices it connects at once; ${USUAL_SLOTS} unless given`, slots),
    subscriber: codecs.about('See `subscriber` of the answer; default `newest`', subscriber),
    key: codecs.about(
      'It encrypts connections with it; without one they are plain',
      codecs.matching('a key of 32 bytes in base64 (44 characters)', /^[A-Za-z0-9+/]{43}=$/),
    ),
  },
);

export const ProxyAnswer = codecs.named(
  'Proxy',
  'A Bluetooth proxy of ESPHome on the radio; the key is never answered',
  codecs.object({
    name,
    port: count('The TCP port'),
    mac: codecs.about('The MAC address of the proxy and of its adapter', codecs.text),
    slots,
    subscriber,
    free: count('Slots that no device has, and no fault'),
    encrypted: codecs.about('Whether it was given a key', codecs.boolean),
    up: codecs.about('False while it has no power', codecs.boolean),
    clients: count('Connections of clients'),
    devices: codecs.array(codecs.deviceAddress, 'an array of the addresses of devices that have a slot'),
  }),
);

export type ProxySpec = t.TypeOf<typeof ProxyBody>;
