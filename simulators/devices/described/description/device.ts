/** A device as it is written in a file: the body of `POST /devices` for the kind `gatt`. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import * as codecs from '../../../../src/codecs/index.js';
import { Advertising } from './advertising.js';
import { payloadMaker } from './payload.js';
import { Pairing, Privacy, type PairingBody } from './pairing.js';
import { Service, idOf } from './services.js';
import { checkedHere } from './shapes.js';
import { defaulted, usualOf } from '../../fields.js';

const { about } = codecs;

/** Maximum length of the GAP device name, bytes (Core 5.4 Vol 3 Part C 12.1). */
const MAX_NAME = 248;

/** A GAP device name. */
export const deviceName = checkedHere(
  codecs.matching(
    `a text of at most ${MAX_NAME} characters without control characters`,
    new RegExp(`^[^\\x00-\\x1f]{0,${MAX_NAME}}$`),
  ),
  (name) => {
    const octets = Buffer.byteLength(name);
    return octets > MAX_NAME ? `must be at most ${MAX_NAME} octets long, got ${octets}` : undefined;
  },
);

const Fields = codecs.closedObject(
  {
    name: defaulted(
      `The GAP device name, ${MAX_NAME} octets at most; empty: none is advertised`,
      deviceName,
      'GATT device',
    ),
    address_type: defaulted('The type of its address', codecs.oneOf(['random', 'public']), 'random'),
    appearance: defaulted('A value of the Assigned Numbers', codecs.integer(0, 0xffff), 0),
    mtu: defaulted('The largest ATT_MTU that it agrees to', codecs.integer(23, 517), 247),
    services: defaulted('Its services', codecs.array(Service, 'an array of services'), []),
  },
  {
    advertising: about('What it advertises, and how often', Advertising),
    pairing: about('How it pairs; if left out, it pairs only where a permission needs that', Pairing),
    privacy: about('It advertises with private addresses, and hosts that bond get its IRK', Privacy),
  },
);
type Fields = t.TypeOf<typeof Fields>;

const usualAdvertising = usualOf(Advertising);
const usualPairing = usualOf(Pairing);

export const advertisingOf = ({ advertising = usualAdvertising }: Fields): Advertising => advertising;

/** Whether any attribute has this permission. */
const needs = ({ services }: Fields, permission: 'encrypted' | 'authenticated'): boolean =>
  services.some(({ characteristics }) =>
    characteristics.some(({ permissions, descriptors = [] }) =>
      [permissions, ...descriptors.map((descriptor) => descriptor.permissions)].some((operations) =>
        Object.values(operations ?? {}).includes(permission),
      ),
    ),
  );

/** How it pairs; undefined: not at all. */
export const pairingOf = (device: Fields): PairingBody | undefined =>
  device.pairing ?? (needs(device, 'encrypted') ? usualPairing : undefined);

const checkDevice = (device: Fields): E.Either<string, Fields> => {
  const { services, pairing } = device;
  const ids = services.flatMap(({ characteristics }) => characteristics.map(idOf));
  const duplicate = ids.find((id, at) => ids.indexOf(id) !== at);
  if (duplicate !== undefined) {
    return E.left(`services have two characteristics with the id ${duplicate}: give one of them another id`);
  }
  for (const [at, { characteristics }] of services.entries()) {
    for (const [index, { on_write: answers = [] }] of characteristics.entries()) {
      const unknown = answers
        .flatMap(({ notify = [] }) => notify)
        .find(({ characteristic }) => !ids.includes(characteristic));
      if (unknown !== undefined) {
        return E.left(
          `services[${at}].characteristics[${index}].on_write notifies ${unknown.characteristic}, which is not an id of a characteristic: use one of ${ids.join(', ')}`,
        );
      }
    }
  }
  if (pairing !== undefined && pairing.min_key_size > pairing.max_key_size) {
    return E.left(
      `pairing.min_key_size must be at most max_key_size, ${pairing.max_key_size}, got ${pairing.min_key_size}`,
    );
  }
  if (device.privacy !== undefined && pairingOf(device) === undefined) {
    return E.left('privacy needs pairing: a host gets the key of private addresses by a bond');
  }
  const mustAuthenticate = needs(device, 'authenticated') || pairing?.authenticated === true;
  if (mustAuthenticate && (pairing?.io ?? 'none') === 'none') {
    return E.left(
      'pairing.io must be one of display, yes_no, keyboard, keyboard_display where something must be authenticated, got none',
    );
  }
  return pipe(
    payloadMaker({ ...device, advertising: advertisingOf(device) }, () => 0.5)(),
    E.map(() => device),
  );
};

export const StartBody = codecs.checked(Fields, checkDevice);
export type StartBody = t.TypeOf<typeof StartBody>;
