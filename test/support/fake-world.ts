/** The servers of a fleet on one broker, whose messages all arrive as soon as a test wants. */
import { setImmediate as turn } from 'node:timers/promises';
import { UNSEEN_MS } from '../../src/mqtt/device-views.js';
import { FakeBroker, FakeMember } from './fake-fleet.js';

export type MemberAction =
  'hear' | 'claim' | 'link' | 'unlink' | 'release' | 'send' | 'receive' | 'cut' | 'connect';

/** The servers of a fleet on one broker. */
export class FakeWorld {
  readonly broker = new FakeBroker();
  readonly members: FakeMember[];
  private runs = 0;

  constructor(names: readonly string[]) {
    this.members = names.map((name) => new FakeMember(this.broker, name, `${name}-0`));
  }

  memberOf(index: number): FakeMember {
    const member = this.members[index];
    if (member === undefined) throw new Error(`there is no server ${index}`);
    return member;
  }

  /** Ends a server, and starts it again under the same name. */
  restart(index: number, end: 'die' | 'stop' = 'die'): FakeMember {
    const member = this.memberOf(index);
    member[end]();
    this.runs += 1;
    return (this.members[index] = new FakeMember(this.broker, member.name, `${member.name}-${this.runs}`));
  }

  get holders(): readonly FakeMember[] {
    return this.members.filter(({ holds }) => holds);
  }

  close(): void {
    for (const member of this.members) member.die();
  }

  /** Delivers all messages, and those that servers send later. */
  async settle(): Promise<void> {
    for (let idle = 0; idle < 3; idle += 1) {
      await this.deliver();
      // Servers that both claim the link repeat their claims, and owners repair their retained messages.
      this.broker.time.advance(UNSEEN_MS);
      await turn();
    }
  }

  /** Delivers all messages that servers send without a pause. */
  async deliver(): Promise<void> {
    let sent = 0;
    for (;;) {
      // A server sends its messages a few turns later.
      for (let turns = 0; turns < 3; turns += 1) await turn();
      const due = this.members.filter(({ inbox, outbox }) => inbox.length + outbox.length > 0);
      if (due.length === 0 && this.broker.wills.length === 0) return;
      this.broker.publishWill();
      for (const member of due) {
        sent += member.outbox.length;
        if (sent > 1_000) throw new Error('the servers do not stop sending');
        while (member.outbox.length > 0) member.send();
        while (member.inbox.length > 0) member.receive();
        await turn();
      }
    }
  }
}
