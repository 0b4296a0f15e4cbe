import type { AckOutcome } from '../../../src/protocols/cgd1/index.js';
import type { ClockBehaviour } from './behaviour.js';

/** The token of a clock's owner, and whether the host on the link has proved to have it (docs/cgd1-protocol.md §4). */
export class Binding {
  private offered: Buffer | null = null;
  private proven = false;

  constructor(private bound: Buffer | null) {}

  get token(): Buffer | null {
    return this.bound;
  }

  get authenticated(): boolean {
    return this.proven;
  }

  /** The first step. */
  offer(token: Buffer): AckOutcome {
    this.offered = Buffer.from(token);
    return 'continue';
  }

  /** The second step. The first token that takes both steps is bound; the bound token needs no first step. */
  confirm(token: Buffer, wrongToken: ClockBehaviour['wrong_token']): AckOutcome {
    if (this.bound === null && this.offered?.equals(token) === true) this.bound = this.offered;
    if (this.bound?.equals(token) === true) {
      this.proven = true;
      return 'success';
    }
    this.proven = this.bound !== null && wrongToken === 'accept';
    return this.bound === null || wrongToken === 'reject' ? 'failure' : 'success';
  }

  linkEnded(): void {
    this.offered = null;
    this.proven = false;
  }

  forget(): void {
    this.bound = null;
    this.linkEnded();
  }
}
