/** Commands of the Security Manager (Core 5.4 Vol 3 Part H 3.5 and 3.6), and the choice of a method (2.3.5.1). */
import { SmpCode } from '../ble/smp.js';

/** Octets of each command, its code included; another length is refused (3.3). */
export const lengths: Readonly<Record<number, number>> = {
  [SmpCode.pairingRequest]: 7,
  [SmpCode.pairingConfirm]: 17,
  [SmpCode.pairingRandom]: 17,
  [SmpCode.pairingFailed]: 2,
  [SmpCode.encryptionInformation]: 17,
  [SmpCode.centralIdentification]: 11,
  [SmpCode.identityInformation]: 17,
  [SmpCode.identityAddressInformation]: 8,
  [SmpCode.signingInformation]: 17,
  [SmpCode.pairingPublicKey]: 65,
  [SmpCode.pairingDhKeyCheck]: 17,
  [SmpCode.pairingKeypressNotification]: 2,
};

/** Reasons of Pairing Failed (3.5.5). */
export const PairingFailure = {
  passkeyEntryFailed: 0x01,
  oobNotAvailable: 0x02,
  authenticationRequirements: 0x03,
  confirmValueFailed: 0x04,
  pairingNotSupported: 0x05,
  encryptionKeySize: 0x06,
  commandNotSupported: 0x07,
  unspecifiedReason: 0x08,
  repeatedAttempts: 0x09,
  invalidParameters: 0x0a,
  dhKeyCheckFailed: 0x0b,
  numericComparisonFailed: 0x0c,
  keyRejected: 0x0f,
} as const;

export const pairingFailures = new Map<number, string>([
  [PairingFailure.passkeyEntryFailed, 'passkey entry failed'],
  [PairingFailure.oobNotAvailable, 'OOB not available'],
  [PairingFailure.authenticationRequirements, 'authentication requirements'],
  [PairingFailure.confirmValueFailed, 'confirm value failed'],
  [PairingFailure.pairingNotSupported, 'pairing not supported'],
  [PairingFailure.encryptionKeySize, 'encryption key size'],
  [PairingFailure.commandNotSupported, 'command not supported'],
  [PairingFailure.unspecifiedReason, 'unspecified reason'],
  [PairingFailure.repeatedAttempts, 'repeated attempts'],
  [PairingFailure.invalidParameters, 'invalid parameters'],
  [PairingFailure.dhKeyCheckFailed, 'DHKey check failed'],
  [PairingFailure.numericComparisonFailed, 'numeric comparison failed'],
  [PairingFailure.keyRejected, 'key rejected'],
]);

/** IO capabilities (3.5.1), by their names in a file. */
export const ioCapabilities = {
  display: 0x00,
  yes_no: 0x01,
  keyboard: 0x02,
  none: 0x03,
  keyboard_display: 0x04,
} as const;
export type IoCapability = keyof typeof ioCapabilities;

/** Bits of the authentication requirements (3.5.1). */
export const Auth = { bonding: 0x01, mitm: 0x04, secureConnections: 0x08 } as const;

/** Bits of the key distributions (3.6.1). */
export const Key = { encryption: 0x01, identity: 0x02, signing: 0x04 } as const;

export interface PairingFeatures {
  readonly io: number;
  readonly oob: number;
  readonly auth: number;
  readonly keySize: number;
  readonly initiatorKeys: number;
  readonly responderKeys: number;
}

/** The features in a Pairing Request or Pairing Response of seven octets. */
export const readFeatures = (pdu: Buffer): PairingFeatures => ({
  io: pdu.readUInt8(1),
  oob: pdu.readUInt8(2),
  auth: pdu.readUInt8(3),
  keySize: pdu.readUInt8(4),
  initiatorKeys: pdu.readUInt8(5),
  responderKeys: pdu.readUInt8(6),
});

export const writeFeatures = (
  code: number,
  { io, oob, auth, keySize, initiatorKeys, responderKeys }: PairingFeatures,
): Buffer => Buffer.from([code, io, oob, auth, keySize, initiatorKeys, responderKeys]);

/** `displays`: the responder shows the passkey, and a person enters it on the initiator. `enters`: a person enters it on the responder. */
export type Method = 'just works' | 'compares' | 'displays' | 'enters';

const { display, yes_no: yesNo, keyboard, none, keyboard_display: both } = ioCapabilities;

/** The responder's part, by the IO capabilities of responder and initiator (2.3.5.1, table 2.8). */
const table: Readonly<Record<number, Readonly<Record<number, Method>>>> = {
  [display]: { [keyboard]: 'displays', [both]: 'displays' },
  [yesNo]: { [keyboard]: 'displays', [both]: 'displays' },
  [keyboard]: { [display]: 'enters', [yesNo]: 'enters', [keyboard]: 'enters', [both]: 'enters' },
  [none]: {},
  [both]: { [display]: 'enters', [yesNo]: 'enters', [keyboard]: 'displays', [both]: 'enters' },
};

/** Whether both sides can show and confirm a number, which only Secure Connections needs. */
const compares = (initiator: number, responder: number): boolean =>
  [yesNo, both].some((io) => io === initiator) && [yesNo, both].some((io) => io === responder);

/** The method of pairing: Just Works, unless a side demands protection against an attacker in the middle. */
export const methodOf = (initiator: PairingFeatures, responder: PairingFeatures): Method => {
  if (((initiator.auth | responder.auth) & Auth.mitm) === 0) return 'just works';
  const secure = (initiator.auth & responder.auth & Auth.secureConnections) !== 0;
  if (secure && compares(initiator.io, responder.io)) return 'compares';
  return table[responder.io]?.[initiator.io] ?? 'just works';
};
