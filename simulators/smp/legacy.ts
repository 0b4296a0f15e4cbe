import { SmpCode } from '../ble/smp.js';
import { c1, s1 } from './crypto.js';
import { passkeyValue, type Attempt, type Exchange } from './exchange.js';
import { PairingFailure } from './messages.js';

/** The responder's side of LE legacy pairing (Core 5.4 Vol 3 Part H 2.3.5.2 to 2.3.5.5). */
export class LegacyExchange implements Exchange {
  private readonly ownRandom: Buffer;
  private temporaryKey: Buffer | undefined;
  private confirm: Buffer | undefined;
  private answered = false;

  constructor(private readonly attempt: Attempt) {
    this.ownRandom = attempt.random(16);
    attempt.withPasskey((passkey) => {
      this.temporaryKey = passkeyValue(passkey);
      this.answer();
    });
  }

  receive(code: number, value: Buffer): boolean {
    if (code === SmpCode.pairingConfirm && this.confirm === undefined) {
      this.confirm = value;
      this.answer();
      return true;
    }
    if (code === SmpCode.pairingRandom && this.answered) {
      this.random(value);
      return true;
    }
    return false;
  }

  /** Answers once the confirm value has arrived and the passkey is known. */
  private answer(): void {
    const { attempt, temporaryKey, ownRandom } = this;
    if (temporaryKey === undefined || this.confirm === undefined || this.answered) return;
    this.answered = true;
    attempt.send(SmpCode.pairingConfirm, c1(temporaryKey, ownRandom, attempt));
  }

  private random(random: Buffer): void {
    const { attempt, temporaryKey, ownRandom } = this;
    if (temporaryKey === undefined || this.confirm?.equals(c1(temporaryKey, random, attempt)) !== true) {
      attempt.fail(PairingFailure.confirmValueFailed);
      return;
    }
    this.answered = false;
    attempt.send(SmpCode.pairingRandom, ownRandom);
    attempt.agreed(s1(temporaryKey, ownRandom, random));
  }
}
