/** Labels on a broker: one retained message for each labelled device, the latest of all servers that have heard the device. */
import { shrink } from '../async/newest.js';
import type { Address } from '../ble/ports.js';
import { DeviceLabel } from '../contract/index.js';
import { isLater, MOST_LABELS } from '../devices/labels.js';
import type { Message } from './broker.js';
import type { HeardDevices } from './fleet.js';
import { readLabel, type Peer } from './messages.js';
import { paced, type Paced } from './paced.js';

export class SharedLabels {
  /** The devices whose labels this server listens to. */
  private readonly watched = new Set<Address>();
  /** Watched devices without a subscription. */
  private readonly pending = new Set<Address>();
  /** The labels that the broker retains, as far as they have arrived. */
  private readonly retained = new Map<Address, DeviceLabel>();
  private readonly subscribing: Paced;
  /** Undefined before the device server has joined. */
  private heard: HeardDevices | undefined;

  constructor(
    private readonly peer: Pick<Peer, 'topics' | 'broker' | 'time' | 'minuteLog'>,
    /** Called when a device has got another label. */
    private readonly changed: (address: Address) => void,
  ) {
    this.subscribing = paced(peer.time, () => this.subscribe());
  }

  /** Shares the labels of these devices from now on. */
  join(heard: HeardDevices): void {
    this.heard = heard;
    const watch = (address: Address): void => this.watch(address);
    heard.onNewcomer(watch);
    heard.labels.onChange((address) => {
      watch(address);
      this.share(address);
      this.changed(address);
    });
    for (const { address } of heard.all) watch(address);
    for (const address of heard.labels.addresses) watch(address);
  }

  /** The topics for the subscription at the beginning of a connection. */
  subscriptions(): readonly string[] {
    this.pending.clear();
    return [...this.watched].map(this.peer.topics.label);
  }

  /** To be called when the retained messages of `subscriptions` have arrived. */
  joined(): void {
    for (const address of this.watched) if (!this.pending.has(address)) this.share(address);
    this.subscribe();
  }

  lost(): void {
    this.subscribing.cancel();
    this.retained.clear();
  }

  /** Takes the label on a topic; an empty message removes it. */
  received(address: Address, { topic, payload }: Message): void {
    if (!this.watched.has(address)) return;
    if (payload.length === 0) {
      this.retained.delete(address);
      this.heard?.labels.set(address, null);
      return;
    }
    const label = readLabel(payload);
    if (label === undefined) {
      this.peer.minuteLog.write('warn', 'label', `a message on ${topic} is ignored: not a valid label`);
      return;
    }
    this.retained.set(address, label);
    this.heard?.labels.take(address, label);
    this.share(address);
  }

  private last(address: Address): DeviceLabel | undefined {
    return this.heard?.labels.lastOf(address);
  }

  private watch(address: Address): void {
    if (this.watched.has(address)) return;
    this.watched.add(address);
    this.pending.add(address);
    const isKept = (each: Address): boolean =>
      each === address || this.heard?.isStored(each) === true || this.last(each) !== undefined;
    shrink(this.watched, MOST_LABELS, isKept, (each) => this.drop(each));
    this.subscribing.soon();
  }

  private drop(address: Address): void {
    if (!this.pending.delete(address)) this.peer.broker.unsubscribe(this.peer.topics.label(address));
    this.retained.delete(address);
  }

  private subscribe(): void {
    const { broker, topics } = this.peer;
    if (!broker.connected || this.pending.size === 0) return;
    const addresses = [...this.pending];
    this.pending.clear();
    broker.subscribe(addresses.map(topics.label), {
      acknowledged: () => {
        for (const address of addresses) this.share(address);
      },
    });
  }

  /**
   * Publishes the label of a device if it is later than the retained one; a removal only if one is retained. A retained label
   * that arrives after an earlier one of this server was published is later than that one, and is published again.
   */
  private share(address: Address): void {
    const { broker, topics } = this.peer;
    const last = this.last(address);
    const retained = this.retained.get(address);
    if (last === undefined || !broker.connected) return;
    if (retained === undefined ? last.label === null : !isLater(last, retained)) return;
    this.retained.set(address, last);
    broker.publish(topics.label(address), JSON.stringify(DeviceLabel.encode(last)), { retain: true });
  }
}
