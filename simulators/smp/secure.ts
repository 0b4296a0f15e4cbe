import { SmpCode } from '../ble/smp.js';
import { f4, f5, f6, g2, keyPair, type KeyPair } from './crypto.js';
import { passkeyValue, type Attempt, type Exchange } from './exchange.js';
import { PairingFailure, type PairingFeatures } from './messages.js';

/** The rounds of passkey entry, one for each bit (Core 5.4 Vol 3 Part H 2.3.5.6.3). */
const ROUNDS = 20;

const COORDINATE = 32;

/** Authentication requirements, OOB flag and IO capability, for `f6`. */
const ioOf = ({ auth, oob, io }: PairingFeatures): Buffer => Buffer.from([auth, oob, io]);

type Step = 'public key' | 'confirm' | 'random' | 'check' | 'done';

/** The responder's side of LE Secure Connections (Core 5.4 Vol 3 Part H 2.3.5.6). */
export class SecureExchange implements Exchange {
  private readonly ownKeys: KeyPair;
  private readonly byPasskey: boolean;
  private step: Step = 'public key';
  private peerX: Buffer = Buffer.alloc(0);
  private secret: Buffer = Buffer.alloc(0);
  private round = 0;
  private passkey: number | undefined;
  private confirm: Buffer | undefined;
  private ownRandom: Buffer = Buffer.alloc(16);
  private peerRandom: Buffer = Buffer.alloc(16);
  private confirmed = false;
  private check: Buffer | undefined;

  constructor(private readonly attempt: Attempt) {
    this.ownKeys = keyPair(attempt.random(COORDINATE));
    this.byPasskey = attempt.method === 'displays' || attempt.method === 'enters';
    attempt.withPasskey((passkey) => {
      this.passkey = passkey;
      this.answerConfirm();
    });
  }

  receive(code: number, value: Buffer): boolean {
    if (code === SmpCode.pairingPublicKey && this.step === 'public key') this.publicKey(value);
    else if (code === SmpCode.pairingConfirm && this.step === 'confirm' && this.confirm === undefined) {
      this.confirm = value;
      this.answerConfirm();
    } else if (code === SmpCode.pairingRandom && this.step === 'random') this.random(value);
    else if (code === SmpCode.pairingDhKeyCheck && this.step === 'check' && this.check === undefined) {
      this.check = value;
      this.finish();
    } else return false;
    return true;
  }

  /** Both coordinates have their least significant octet first; `value` came reversed as a whole. */
  private publicKey(value: Buffer): void {
    const { attempt, ownKeys } = this;
    const [y, x] = [value.subarray(0, COORDINATE), value.subarray(COORDINATE)];
    const secret = ownKeys.secretWith(x, y);
    // A reflected key would be accepted with its own check values (Core 5.4 Vol 3 Part H 2.3.5.6.1).
    if (secret === undefined || x.equals(ownKeys.x)) {
      attempt.fail(secret === undefined ? PairingFailure.invalidParameters : PairingFailure.dhKeyCheckFailed);
      return;
    }
    this.secret = secret;
    this.peerX = x;
    attempt.send(SmpCode.pairingPublicKey, Buffer.concat([ownKeys.y, ownKeys.x]));
    if (this.byPasskey) {
      this.step = 'confirm';
      return;
    }
    this.sendConfirm(0);
    this.step = 'random';
  }

  private sendConfirm(z: number): void {
    this.ownRandom = this.attempt.random(16);
    this.attempt.send(SmpCode.pairingConfirm, f4(this.ownKeys.x, this.peerX, this.ownRandom, z));
  }

  /** 0x80 or 0x81: the bit of the passkey in this round, the least significant first. */
  private get bit(): number {
    return 0x80 | (((this.passkey ?? 0) >> this.round) & 1);
  }

  private answerConfirm(): void {
    if (!this.byPasskey || this.passkey === undefined || this.confirm === undefined) return;
    if (this.step !== 'confirm') return;
    this.sendConfirm(this.bit);
    this.step = 'random';
  }

  private random(random: Buffer): void {
    const { attempt, ownKeys, peerX } = this;
    if (this.byPasskey && this.confirm?.equals(f4(peerX, ownKeys.x, random, this.bit)) !== true) {
      attempt.fail(PairingFailure.confirmValueFailed);
      return;
    }
    this.confirm = undefined;
    this.peerRandom = random;
    attempt.send(SmpCode.pairingRandom, this.ownRandom);
    this.round += 1;
    if (this.byPasskey && this.round < ROUNDS) {
      this.step = 'confirm';
      return;
    }
    this.step = 'check';
    if (attempt.method !== 'compares') {
      this.confirmed = true;
      return;
    }
    attempt.compare(g2(peerX, ownKeys.x, random, this.ownRandom), () => {
      this.confirmed = true;
      this.finish();
    });
  }

  /** Finishes once the other side's check value has arrived and the numbers are confirmed. */
  private finish(): void {
    const { attempt, secret, peerRandom, ownRandom, check } = this;
    if (!this.confirmed || check === undefined) return;
    const { initiator, responder, features } = attempt;
    const { macKey, longTermKey } = f5(secret, peerRandom, ownRandom, initiator, responder);
    const r = passkeyValue(this.byPasskey ? (this.passkey ?? 0) : 0);
    const expected = f6(macKey, peerRandom, ownRandom, r, ioOf(features.initiator), initiator, responder);
    if (!expected.equals(check)) {
      attempt.fail(PairingFailure.dhKeyCheckFailed);
      return;
    }
    this.step = 'done';
    const ownCheck = f6(macKey, ownRandom, peerRandom, r, ioOf(features.responder), responder, initiator);
    attempt.send(SmpCode.pairingDhKeyCheck, ownCheck);
    attempt.agreed(longTermKey);
  }
}
