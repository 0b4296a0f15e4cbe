/** Servers on one broker, whose messages all arrive as soon as a test wants. */
import { setImmediate as turn } from 'node:timers/promises';
import type { MemberDevice } from '../../src/mqtt/index.js';
import { FakeBroker, FakeMember, NO_HOME_ASSISTANT } from './fake-fleet.js';

/** More than the time until a server writes a description again that another one has written, ms. */
const LATER_MS = 10_000;

export class FakeWorld {
  readonly broker = new FakeBroker();
  readonly members: FakeMember[];

  constructor(names: readonly string[], homeAssistant: MemberDevice['homeAssistant'] = NO_HOME_ASSISTANT) {
    this.members = names.map((name) => new FakeMember(this.broker, name, `${name}-0`, homeAssistant));
  }

  memberOf(index: number): FakeMember {
    const member = this.members[index];
    if (member === undefined) throw new Error(`there is no server ${index}`);
    return member;
  }

  close(): void {
    for (const member of this.members) member.die();
  }

  /** Delivers all messages, and those that servers send later. */
  async settle(): Promise<void> {
    for (let idle = 0; idle < 3; idle += 1) {
      await this.deliver();
      this.broker.time.advance(LATER_MS);
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
