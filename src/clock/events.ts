/** Which client has subscribed to which clock. */
import type { Address } from '../ble/ports.js';
import type { Broadcast, Receiver, Stamp } from '../operations/index.js';
import { ClockEvent, DetailedClockEvent } from './contract.js';

export interface Events {
  /** To all who subscribed to the clock. */
  readonly publish: (address: Address, event: ClockEvent) => void;
  /** Twice is once. The returned function sends the receiver the level of the battery, if it is known. */
  readonly subscribe: (address: Address, receiver: Receiver) => () => void;
  readonly isSubscribed: (address: Address, receiver: Receiver) => boolean;
  readonly unsubscribe: (address: Address, receiver: Receiver) => void;
  /** Ends all subscriptions of one. */
  readonly leave: (receiver: Receiver) => void;
  /** The clocks that anybody subscribed to. */
  readonly addresses: Iterable<Address>;
}

export interface EventsOptions {
  readonly broadcast: Broadcast;
  /** Called for every event, with or without subscribers. */
  readonly happened: (address: Address, event: ClockEvent) => void;
  /** The clients that get an event without a subscription. */
  readonly fleetReceivers: (address: Address, event: ClockEvent) => readonly Receiver[];
  /** Called when a clock gets its first or loses its last subscriber. */
  readonly changed: () => void;
  /** The last level of a clock. */
  readonly batteryOf: (address: Address) => number | undefined;
}

const nothing = (): void => undefined;

export const openEvents = ({
  broadcast,
  happened,
  fleetReceivers: fleetReceivers,
  changed,
  batteryOf,
}: EventsOptions): Events => {
  const subscribers = new Map<Address, Set<Receiver>>();

  const plain = (event: ClockEvent) => () => ClockEvent.encode(event);
  const full = (address: Address, event: ClockEvent) => (stamp: Stamp) =>
    DetailedClockEvent.encode({ ...event, address, ...stamp });

  const sendBattery = (address: Address, receiver: Receiver): void =>
    broadcast.onceCurrent(receiver, () => {
      const level = batteryOf(address);
      if (level === undefined) return;
      const event: ClockEvent = { event: 'battery_level', data: { level } };
      happened(address, event);
      broadcast.tell(receiver, plain(event), full(address, event));
    });

  const unsubscribe = (address: Address, receiver: Receiver): void => {
    const group = subscribers.get(address);
    if (group?.delete(receiver) !== true || group.size > 0) return;
    subscribers.delete(address);
    changed();
  };

  return {
    publish: (address, event) => {
      happened(address, event);
      const receivers = [...(subscribers.get(address) ?? []), ...fleetReceivers(address, event)];
      broadcast.publish(address, receivers, plain(event), full(address, event));
    },
    subscribe: (address, receiver) => {
      const group = subscribers.get(address);
      if (group?.has(receiver) === true) return nothing;
      if (group === undefined) {
        subscribers.set(address, new Set([receiver]));
        changed();
      } else {
        group.add(receiver);
      }
      return () => sendBattery(address, receiver);
    },
    isSubscribed: (address, receiver) => subscribers.get(address)?.has(receiver) === true,
    unsubscribe,
    leave: (receiver) => {
      for (const address of [...subscribers.keys()]) unsubscribe(address, receiver);
    },
    get addresses() {
      return subscribers.keys();
    },
  };
};
