/** The tones a clock is sold with, by the signature that settings name them with (docs/cgd1-protocol.md §7.1). */
export const RINGTONES = {
  Beep: 'fdc366a5',
  Digital: '0961bb77',
  'Digital 2': 'ba2c2c8c',
  Cuckoo: 'ea2d4c02',
  Telephone: '791bacb3',
  'Exotic guitar': '1d019fd6',
  'Lively piano': '6e70b659',
  'Story piano': '8f004886',
  'Forest piano': '26522519',
} as const;

export type RingtoneName = keyof typeof RINGTONES;

/** Signatures that clients give to tones of their own, in turn: a clock refuses an upload under the one in use. */
export const CUSTOM_SIGNATURES = ['deaddead', 'beefbeef'] as const;

/** Bytes of a signature; as a text it is 8 lower-case hex digits in the order of the wire. */
export const SIGNATURE_BYTES = 4;
