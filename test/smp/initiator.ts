/** The initiator's side of pairing for tests; the Core's sample data check its cryptography. */
import { reversed } from '../../simulators/ble/aes.js';
import { SmpCode } from '../../simulators/ble/smp.js';
import { c1, f4, f5, f6, g2, keyPair, s1 } from '../../simulators/smp/crypto.js';
import type { DeviceAddress } from '../../src/ble/hci/packets.js';
import type { PairingSettings } from '../../simulators/smp/index.js';
import { Security } from '../../simulators/smp/security.js';
import { manualTime } from '../support/manual-time.js';

const HOST: DeviceAddress = { type: 'public', address: '02:A1:B0:00:00:01' };
const DEVICE: DeviceAddress = { type: 'random', address: 'F1:1E:00:00:00:01' };

const passkeyOf = (passkey: number): Buffer => Buffer.from(passkey.toString(16).padStart(32, '0'), 'hex');

const usual: PairingSettings = {
  io: 'none',
  secureConnections: 'supported',
  bonding: true,
  authenticated: false,
  passkey: undefined,
  accept: undefined,
  minKeySize: 7,
  maxKeySize: 16,
  identityKey: false,
  signingKey: false,
};

/** A device that pairs, and functions to send commands of a host to it. */
export const pairingWith = (settings: Partial<PairingSettings> | undefined) => {
  const time = manualTime();
  let sent: Buffer[] = [];
  const outcomes: string[] = [];
  let next = 1;
  const random = (octets: number): Buffer => Buffer.alloc(octets, (next += 1));
  const security = new Security({
    settings: settings && { ...usual, ...settings },
    ...{ identity: DEVICE, time, random, changed: () => undefined },
    send: (pdu) => sent.push(Buffer.from(pdu)),
    paired: (bond, lasting) => outcomes.push(`paired ${lasting ? 'and bonded' : ''} ${bond.keySize}`),
    failed: (reason) => outcomes.push(`failed ${reason ?? 'silently'}`),
  });
  security.linkMade(HOST);
  /** Sends a command in hex; returns the answers in hex. */
  const say = (pdu: Buffer | string): readonly string[] => {
    sent = [];
    security.receive(typeof pdu === 'string' ? Buffer.from(pdu, 'hex') : pdu);
    return sent.map((pdu) => pdu.toString('hex'));
  };
  /** Sends a command; value and first answer have their most significant octet first. @throws if the device fails. */
  const exchange = (code: number, value: Buffer): Buffer => {
    const [answer = ''] = say(Buffer.concat([Buffer.from([code]), reversed(value)]));
    if (answer.startsWith('05')) throw new Error(`the device failed: ${answer}`);
    return reversed(Buffer.from(answer, 'hex').subarray(1));
  };
  return { security, time, say, exchange, outcomes, sent: () => sent.map((pdu) => pdu.toString('hex')) };
};

type Device = ReturnType<typeof pairingWith>;

const responseTo = (device: Device, request: Buffer): Buffer => {
  const [response = ''] = device.say(request);
  return Buffer.from(response, 'hex');
};

/** Pairs by legacy pairing; returns the key of the link. `wrong`: sends a random value that does not fit the confirm value. */
export const pairLegacy = (device: Device, passkey: number, request: string, wrong = false): Buffer => {
  const preq = Buffer.from(request, 'hex');
  const pres = responseTo(device, preq);
  const pairing = { request: reversed(preq), response: reversed(pres), initiator: HOST, responder: DEVICE };
  const [key, random] = [passkeyOf(passkey), Buffer.alloc(16, 0x77)];
  const confirm = device.exchange(SmpCode.pairingConfirm, c1(key, random, pairing));
  const peerValue = device.exchange(SmpCode.pairingRandom, wrong ? Buffer.alloc(16) : random);
  if (!c1(key, peerValue, pairing).equals(confirm))
    throw new Error('the confirm value of the device is wrong');
  return s1(key, peerValue, random);
};

export interface Answers {
  /** The passkey that is entered on the device, or shown by it. */
  readonly passkey?: number;
  /** Receives the number that the host shows. */
  readonly compare?: (number: number) => void;
}

/** Pairs by Secure Connections; returns the long-term key. @throws if a value of the device is wrong. */
export const pairSecurely = (device: Device, request: string, { passkey, compare }: Answers = {}): Buffer => {
  const preq = Buffer.from(request, 'hex');
  const pres = responseTo(device, preq);
  const ownKeys = keyPair(Buffer.alloc(32, 0x42));
  const peerValue = device.exchange(SmpCode.pairingPublicKey, Buffer.concat([ownKeys.y, ownKeys.x]));
  const [y, x] = [peerValue.subarray(0, 32), peerValue.subarray(32)];
  let [na, nb]: Buffer[] = [Buffer.alloc(16, 0x11), Buffer.alloc(16)];
  const check = (expected: Buffer, actual: Buffer): void => {
    if (!expected.equals(actual)) throw new Error('a confirm value of the device is wrong');
  };
  if (passkey === undefined) {
    const confirm = reversed(Buffer.from(device.sent()[1] ?? '', 'hex').subarray(1));
    nb = device.exchange(SmpCode.pairingRandom, na ?? Buffer.alloc(0));
    check(f4(x, ownKeys.x, nb, 0), confirm);
    compare?.(g2(ownKeys.x, x, na ?? nb, nb));
  } else {
    for (let round = 0; round < 20; round += 1) {
      const bit = 0x80 | ((passkey >> round) & 1);
      na = Buffer.alloc(16, 0x20 + round);
      const confirm = device.exchange(SmpCode.pairingConfirm, f4(ownKeys.x, x, na, bit));
      nb = device.exchange(SmpCode.pairingRandom, na);
      check(f4(x, ownKeys.x, nb, bit), confirm);
    }
  }
  const [a, b] = [na ?? Buffer.alloc(0), nb ?? Buffer.alloc(0)];
  const { macKey, longTermKey } = f5(ownKeys.secretWith(x, y) ?? Buffer.alloc(32), a, b, HOST, DEVICE);
  const r = passkeyOf(passkey ?? 0);
  const io = (pdu: Buffer): Buffer => Buffer.from([pdu.readUInt8(3), pdu.readUInt8(2), pdu.readUInt8(1)]);
  const theirCheck = device.exchange(SmpCode.pairingDhKeyCheck, f6(macKey, a, b, r, io(preq), HOST, DEVICE));
  check(f6(macKey, b, a, r, io(pres), DEVICE, HOST), theirCheck);
  return longTermKey;
};

/** The key for a request without a name, as a controller gets it. */
export const unnamedKey = ({ security }: Device): string | undefined =>
  security.longTermKey(Buffer.alloc(8), 0)?.toString('hex');

export const onAir = (key: Buffer): string => reversed(key).toString('hex');
