/** Which client has subscribed to which clock. */
import type { Address } from '../ble/ports.js';
import type { Broadcast, Receiver } from '../http/index.js';
import { ClockEvent, DetailedClockEvent } from './contract.js';

export interface Events {
  /** To all who subscribed to the clock. */
  readonly publish: (address: Address, event: ClockEvent) => void;
  readonly send: (receiver: Receiver, address: Address, event: ClockEvent) => void;
  /** Twice is once; false for the second time. */
  readonly subscribe: (address: Address, receiver: Receiver) => boolean;
  readonly unsubscribe: (address: Address, receiver: Receiver) => void;
  /** Ends all subscriptions of one. */
  readonly leave: (receiver: Receiver) => void;
  /** The clocks that anybody subscribed to. */
  readonly addresses: Iterable<Address>;
}

export interface EventsOptions {
  readonly broadcast: Broadcast;
  /** Called for every event, whoever gets it. */
  readonly happened: (event: ClockEvent) => void;
  /** Called when a clock gets its first or loses its last subscriber. */
  readonly changed: () => void;
}

export const openEvents = ({ broadcast, happened, changed }: EventsOptions): Events => {
  const subscribers = new Map<Address, Set<Receiver>>();

  const sendTo = (address: Address, event: ClockEvent, receivers: Iterable<Receiver>): void => {
    happened(event);
    broadcast(
      receivers,
      () => ClockEvent.encode(event),
      (stamp) => DetailedClockEvent.encode({ ...event, address, ...stamp }),
    );
  };

  const unsubscribe = (address: Address, receiver: Receiver): void => {
    const group = subscribers.get(address);
    if (group?.delete(receiver) !== true || group.size > 0) return;
    subscribers.delete(address);
    changed();
  };

  return {
    publish: (address, event) => sendTo(address, event, subscribers.get(address) ?? []),
    send: (receiver, address, event) => sendTo(address, event, [receiver]),
    subscribe: (address, receiver) => {
      const group = subscribers.get(address);
      if (group?.has(receiver) === true) return false;
      if (group !== undefined) {
        group.add(receiver);
        return true;
      }
      subscribers.set(address, new Set([receiver]));
      changed();
      return true;
    },
    unsubscribe,
    leave: (receiver) => {
      for (const address of [...subscribers.keys()]) unsubscribe(address, receiver);
    },
    get addresses() {
      return subscribers.keys();
    },
  };
};
