/** LL privacy: the resolving list and its use (Core 5.4 Vol 4 Part E 7.8.38 to 7.8.45 and 7.8.77). */
import { completes } from './command-spec.js';
import { address, bytes, u16, u8, type Fields } from '../../bytes/index.js';

/** The device of an entry: 0 for a public identity address, 1 for a random static one. */
const peer = { peerIdentityAddressType: u8, peerIdentityAddress: address } satisfies Fields;

export const privacyCommands = {
  /** Keys of zeros stand for none. */
  leAddToResolvingList: completes(0x2027, { ...peer, peerIrk: bytes(16), localIrk: bytes(16) }, {}),
  leRemoveFromResolvingList: completes(0x2028, peer, {}),
  leClearResolvingList: completes(0x2029, {}, {}),
  leReadResolvingListSize: completes(0x202a, {}, { size: u8 }),
  leReadPeerResolvableAddress: completes(0x202b, peer, { address }),
  leReadLocalResolvableAddress: completes(0x202c, peer, { address }),
  leSetAddressResolutionEnable: completes(0x202d, { enable: u8 }, {}),
  /** Seconds. */
  leSetResolvableAddressTimeout: completes(0x202e, { timeout: u16 }, {}),
  leSetPrivacyMode: completes(0x204e, { ...peer, mode: u8 }, {}),
} as const;
