/** The settings of a device's pairing, and its response to a host. */
import { Auth, Key, ioCapabilities, type IoCapability, type PairingFeatures } from './messages.js';

/** How a device pairs. */
export interface PairingSettings {
  readonly io: IoCapability;
  readonly secureConnections: 'supported' | 'off' | 'required';
  readonly bonding: boolean;
  /** Whether it accepts only methods that protect against an attacker in the middle. */
  readonly authenticated: boolean;
  /** The passkey that the device shows, or that is entered on it; undefined: a random one is shown, or a person enters one. */
  readonly passkey: number | undefined;
  /** The answer when numbers are compared; undefined: a person answers. */
  readonly accept: boolean | undefined;
  /** Octets, 7 to 16. */
  readonly minKeySize: number;
  readonly maxKeySize: number;
  /** Whether it distributes its identity key and its signing key. */
  readonly identityKey: boolean;
  readonly signingKey: boolean;
}

/** The features of a Pairing Response (Core 5.4 Vol 3 Part H 3.5.2). */
export const responseTo = (settings: PairingSettings, request: PairingFeatures): PairingFeatures => {
  const { io, secureConnections, bonding, authenticated, maxKeySize, identityKey, signingKey } = settings;
  const ownKeys = Key.encryption | (identityKey ? Key.identity : 0) | (signingKey ? Key.signing : 0);
  const lasting = bonding && (request.auth & Auth.bonding) !== 0;
  return {
    io: ioCapabilities[io],
    oob: 0,
    auth:
      (bonding ? Auth.bonding : 0) |
      (authenticated || io !== 'none' ? Auth.mitm : 0) |
      (secureConnections === 'off' ? 0 : Auth.secureConnections),
    keySize: maxKeySize,
    initiatorKeys: lasting ? request.initiatorKeys & (Key.encryption | Key.identity | Key.signing) : 0,
    responderKeys: lasting ? request.responderKeys & ownKeys : 0,
  };
};
