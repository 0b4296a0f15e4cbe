/** How a device pairs, and how it hides its address, as it is written in a file. */
import type * as t from 'io-ts';
import * as codecs from '../../../../src/codecs/index.js';
import { ioCapabilities, type IoCapability, type PairingSettings } from '../../../smp/index.js';
import { defaulted } from '../../fields.js';

const ioNames = Object.keys(ioCapabilities).filter((name): name is IoCapability =>
  Object.hasOwn(ioCapabilities, name),
);

const keySize = codecs.integer(7, 16);

export const Pairing = codecs.closedObject({
  io: defaulted('Its display, buttons or keyboard', codecs.oneOf(ioNames), 'none'),
  secure_connections: defaulted(
    '`required`: legacy pairing is refused',
    codecs.oneOf(['supported', 'required', 'off']),
    'supported',
  ),
  bonding: defaulted('Whether it keeps the keys', codecs.boolean, true),
  authenticated: defaulted('Whether it refuses to pair by Just Works', codecs.boolean, false),
  requests: defaulted('Whether it asks a host to pair as soon as there is a link', codecs.boolean, false),
  passkey: defaulted(
    'The passkey that it shows, or that a person enters; null: it shows a random one, or an action enters one',
    codecs.nullable(codecs.integer(0, 999_999)),
    null,
  ),
  accept: defaulted(
    'Whether compared numbers are the same; null: an action decides',
    codecs.nullable(codecs.boolean),
    null,
  ),
  min_key_size: defaulted('Octets of the key, at least', keySize, 7),
  max_key_size: defaulted('Octets of the key, at most', keySize, 16),
  identity_key: defaulted('Whether it gives its IRK', codecs.boolean, false),
  signing_key: defaulted('Whether it gives its CSRK', codecs.boolean, false),
});
export type PairingBody = t.TypeOf<typeof Pairing>;

/** The timeout of private addresses, seconds (Core 5.4 Vol 4 Part E 7.8.45). */
export const rpaTimeout = codecs.integer(1, 3600);

export const Privacy = codecs.closedObject({
  timeout_secs: defaulted('Seconds until a private address is replaced by another', rpaTimeout, 900),
});

/** `isPrivate`: the device always distributes its identity key. */
export const settingsOf = (pairing: PairingBody, isPrivate: boolean): PairingSettings => ({
  io: pairing.io,
  secureConnections: pairing.secure_connections,
  bonding: pairing.bonding,
  authenticated: pairing.authenticated,
  passkey: pairing.passkey ?? undefined,
  accept: pairing.accept ?? undefined,
  minKeySize: pairing.min_key_size,
  maxKeySize: pairing.max_key_size,
  identityKey: pairing.identity_key || isPrivate,
  signingKey: pairing.signing_key,
});
