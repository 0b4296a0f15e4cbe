/** Labels on a broker: one retained message for each labelled device, the latest of all servers that have heard the device. */
import type { Address } from '../ble/ports.js';
import { DeviceLabel } from '../contract/index.js';
import { isLater, MOST_LABELS } from '../devices/labels.js';
import type { Message } from './broker.js';
import { readLabel, type Peer } from './claims.js';
import type { HeardDevices } from './fleet.js';
import { Watching } from './watching.js';

export class SharedLabels {
  readonly watching: Watching;
  /** The labels that the broker retains. */
  private readonly retained = new Map<Address, DeviceLabel>();
  /** Undefined before the device server has joined. */
  private heard: HeardDevices | undefined;

  constructor(
    private readonly peer: Peer,
    /** Called when a device has got another label. */
    private readonly changed: (address: Address) => void,
  ) {
    this.watching = new Watching(peer, {
      ...{ name: 'labels', topicOf: peer.topics.label, most: MOST_LABELS },
      isKept: (address) => this.heard?.isStored(address) === true || this.last(address) !== undefined,
      dropped: (address) => this.retained.delete(address),
      changed: () => this.shareAll(),
    });
  }

  /** Shares the labels of these devices from now on. */
  join(heard: HeardDevices): void {
    this.heard = heard;
    const watch = (address: Address): void => this.watching.watch(address);
    heard.onNewcomer(watch);
    heard.labels.onChange((address) => {
      watch(address);
      this.share(address);
      this.changed(address);
    });
    for (const { address } of heard.all) watch(address);
    for (const address of heard.labels.addresses) watch(address);
  }

  /** To be called when the retained messages of the first subscription have arrived. */
  began(): void {
    this.watching.began();
    this.shareAll();
  }

  lost(): void {
    this.watching.lost();
    this.retained.clear();
  }

  /** Takes the label on a topic; an empty message removes it. */
  received(address: Address, { topic, payload }: Message): void {
    if (!this.watching.isWatched(address)) return;
    if (payload.length === 0) {
      this.retained.delete(address);
      this.heard?.labels.set(address, null);
      return;
    }
    const label = readLabel(payload);
    if (label === undefined) {
      this.peer.minuteLog.write('warn', 'label', `a message on ${topic} is ignored: it is no label`);
      return;
    }
    this.retained.set(address, label);
    this.heard?.labels.take(address, label);
    this.share(address);
  }

  private last(address: Address): DeviceLabel | undefined {
    return this.heard?.labels.lastOf(address);
  }

  private shareAll(): void {
    for (const address of this.heard?.labels.addresses ?? []) this.share(address);
  }

  /** Publishes the label of a device if it is later than the retained one; a removal only if one is retained. */
  private share(address: Address): void {
    const last = this.last(address);
    const retained = this.retained.get(address);
    if (last === undefined || !this.watching.isKnown(address)) return;
    if (retained === undefined ? last.label === null : !isLater(last, retained)) return;
    const { broker, topics } = this.peer;
    this.retained.set(address, last);
    broker.publish(topics.label(address), JSON.stringify(DeviceLabel.encode(last)), { retain: true });
  }
}
