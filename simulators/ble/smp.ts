/** Codes of the Security Manager's commands (Core 5.4 Vol 3 Part H 3.3). */
export const SmpCode = {
  pairingRequest: 0x01,
  pairingResponse: 0x02,
  pairingConfirm: 0x03,
  pairingRandom: 0x04,
  pairingFailed: 0x05,
  encryptionInformation: 0x06,
  centralIdentification: 0x07,
  identityInformation: 0x08,
  identityAddressInformation: 0x09,
  signingInformation: 0x0a,
  securityRequest: 0x0b,
  pairingPublicKey: 0x0c,
  pairingDhKeyCheck: 0x0d,
  pairingKeypressNotification: 0x0e,
} as const;

/** Pairing Failed, Pairing Not Supported (Core 5.4 Vol 3 Part H 3.5.5). */
export const PAIRING_NOT_SUPPORTED = Buffer.from([SmpCode.pairingFailed, 0x05]);
