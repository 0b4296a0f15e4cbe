import {
  about,
  anyInteger,
  array,
  boolean,
  deviceAddress,
  named,
  nullable,
  object,
  text,
} from '../codecs/index.js';
import type * as t from 'io-ts';
import { endpoint } from './endpoint.js';

const RadioPart = named(
  'Radio',
  'An adapter or a Bluetooth proxy of a server that has several',
  object({
    name: about('Such as kitchen.local:6053, or kitchen (192.0.2.7:6053) of a proxy that mDNS found', text),
    up: about('Whether it can be used now', boolean),
    problem: about(
      'Why not, or why it may hear nothing, for people; null if nothing is wrong',
      nullable(text),
    ),
    slots: about(
      'How many links it has room for; null: it does not say',
      nullable(
        object({
          free: about('Those that no device has', anyInteger),
          limit: about('In all', anyInteger),
        }),
      ),
    ),
    devices: array(
      object({
        address: deviceAddress,
        rssi: about(
          'Signal of its last advertisement there, dBm; null: it was not heard there lately',
          nullable(anyInteger),
        ),
        linked: about('Whether it is connected through this one', boolean),
      }),
      'an array of the devices of the server that it hears or connects',
    ),
  }),
);

export type RadioReport = t.TypeOf<typeof RadioPart>;

export const radioEndpoints = {
  radios: endpoint({
    method: 'GET',
    path: '/radios',
    subject: 'Operation',
    isMeasured: false,
    summary:
      'Lists the adapter and the proxies, and how each hears the devices of the server; empty with an adapter alone',
    response: array(RadioPart, 'an array of radios'),
  }),
};
