import { Status } from '../../../src/ble/hci/status.js';
import { reversed } from '../../ble/aes.js';
import { allowed, done, refuse, valid, type Handlers, type Refusal } from '../host/command-handlers.js';
import { rangeRule } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import { deviceAddress } from '../medium/pdu.js';
import { RESOLVING_LIST_SIZE, type ResolvingEntry } from '../privacy/resolving-list.js';

/** Seconds (Core 5.4 Vol 4 Part E 7.8.45). */
const Timeout = { min: 0x0001, max: 0x0e10 } as const;

const DEVICE_PRIVACY = 1;

interface Peer {
  readonly peerIdentityAddressType: number;
  readonly peerIdentityAddress: string;
}

/** Undefined for a key of zeros, which stands for a missing key. */
const keyOf = (irk: Buffer): Buffer | undefined =>
  irk.every((octet) => octet === 0) ? undefined : reversed(irk);

const typeRule = ({ peerIdentityAddressType: type }: Peer): Refusal | undefined =>
  rangeRule('Peer_Identity_Address_Type', type, [0, 1]);

/** The resolving list, the addresses made and resolved with it, and the privacy modes of its devices (Core 5.4 Vol 4 Part E 7.8.38 to 7.8.45, 7.8.77). */
export const privacyCommands = ({ privacy, advertising, scanner, initiator }: ControllerParts) => {
  const { list } = privacy;

  const idle = (subject: string): Refusal | undefined => {
    const user =
      advertising.enabled().length > 0
        ? 'advertising'
        : scanner.enabled
          ? 'scanning'
          : initiator.attempt !== undefined
            ? 'initiating'
            : '';
    return allowed(user === '', `${subject} must not change while ${user}`);
  };
  /** With address resolution disabled the list may change at any time. */
  const changeable = (): Refusal | undefined =>
    list.enabled ? idle('with address resolution enabled, the resolving list') : undefined;

  const onEntry = <A>(peer: Peer, task: (entry: ResolvingEntry) => A): A | Refusal => {
    const { peerIdentityAddressType: type, peerIdentityAddress: address } = peer;
    const entry = list.find(deviceAddress(type, address));
    return (
      typeRule(peer) ??
      (entry === undefined
        ? refuse(Status.unknownConnection, `the resolving list has no device ${address}`)
        : task(entry))
    );
  };
  /** Not a violation: the host cannot know whether a private address exists. */
  const addressOf = (peer: Peer, read: (entry: ResolvingEntry) => string | undefined) =>
    onEntry(peer, (entry) => {
      const address = read(entry);
      return address === undefined ? Status.unknownConnection : { address };
    });

  return {
    leAddToResolvingList: ({ peerIrk, localIrk, ...peer }) => {
      const { peerIdentityAddressType: type, peerIdentityAddress: address } = peer;
      const device = deviceAddress(type, address);
      const key = keyOf(peerIrk);
      const refusal =
        changeable() ??
        typeRule(peer) ??
        valid(list.find(device) === undefined, `the resolving list has ${address} already`) ??
        valid(
          key === undefined || !list.hasKey(key),
          'the resolving list has a device with this Peer_IRK already',
        );
      if (refusal !== undefined) return refusal;
      return list.full
        ? refuse(
            Status.memoryCapacityExceeded,
            `the resolving list has room for ${RESOLVING_LIST_SIZE} devices`,
          )
        : done(() => list.add(device, key, keyOf(localIrk)));
    },
    leRemoveFromResolvingList: (peer) =>
      changeable() ?? onEntry(peer, (entry) => done(() => list.remove(entry))),
    leClearResolvingList: () => changeable() ?? done(() => list.clear()),
    leReadResolvingListSize: () => ({ size: RESOLVING_LIST_SIZE }),
    leReadPeerResolvableAddress: (peer) => addressOf(peer, ({ receivedAs }) => receivedAs),
    leReadLocalResolvableAddress: (peer) => addressOf(peer, ({ local }) => local?.address),
    leSetAddressResolutionEnable: ({ enable }) =>
      idle('address resolution') ??
      rangeRule('Address_Resolution_Enable', enable, [0, 1]) ??
      done(() => (list.enabled = enable === 1)),
    leSetResolvableAddressTimeout: ({ timeout }) =>
      rangeRule('RPA_Timeout', timeout, [Timeout.min, Timeout.max], 4) ??
      done(() => (list.timeoutMs = timeout * 1000)),
    leSetPrivacyMode: ({ mode, ...peer }) =>
      changeable() ??
      rangeRule('Privacy_Mode', mode, [0, DEVICE_PRIVACY]) ??
      onEntry(peer, (entry) => done(() => (entry.mode = mode === DEVICE_PRIVACY ? 'device' : 'network'))),
  } satisfies Partial<Handlers>;
};
