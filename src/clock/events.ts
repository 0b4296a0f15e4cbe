/** The subscriptions of clients to clocks. */
import type { Address } from '../ble/ports.js';
import type { Broadcast, Receiver, Stamp } from '../operations/index.js';
import { ClockEvent, DetailedClockEvent } from './contract.js';

export interface EventsOptions {
  readonly broadcast: Broadcast;
  /** Called for every event, with or without subscribers. */
  readonly happened: (address: Address, event: ClockEvent) => void;
  /** The receivers of an event without a subscription. */
  readonly fleetReceivers: (address: Address, event: ClockEvent) => readonly Receiver[];
  /** Called when a clock gets its first or loses its last subscriber. */
  readonly changed: () => void;
  /** The last battery level of a clock. */
  readonly batteryOf: (address: Address) => number | undefined;
}

const nothing = (): void => undefined;

export const openEvents = ({ broadcast, happened, fleetReceivers, changed, batteryOf }: EventsOptions) => {
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
    /** Sends an event to all subscribers of a clock. */
    publish: (address: Address, event: ClockEvent) => {
      happened(address, event);
      const receivers = [...(subscribers.get(address) ?? []), ...fleetReceivers(address, event)];
      broadcast.publish(address, receivers, plain(event), full(address, event));
    },
    /** Subscribes a receiver; does nothing the second time. The returned function sends the battery level, if it is known. */
    subscribe: (address: Address, receiver: Receiver): (() => void) => {
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
    isSubscribed: (address: Address, receiver: Receiver): boolean =>
      subscribers.get(address)?.has(receiver) === true,
    unsubscribe,
    /** Ends all subscriptions of a receiver. */
    leave: (receiver: Receiver) => {
      for (const address of [...subscribers.keys()]) unsubscribe(address, receiver);
    },
    /** The clocks with a subscriber. */
    get addresses(): Iterable<Address> {
      return subscribers.keys();
    },
  };
};

export type Events = ReturnType<typeof openEvents>;
