/** The requests to a proxy to make and to end links, one at a time for each device. */
import type { Cancel, TimeSource } from '../../async/time.js';
import { settled } from '../../async/wait.js';
import {
  addressNumber,
  addressText,
  DeviceRequestType,
  type ApiConnection,
  type MessageOf,
} from '../../protocols/esphome/index.js';
import { Status } from '../hci/status.js';
import type { Address } from '../ports.js';

/** How long a proxy may take to end a link or an attempt, ms. */
const DISCONNECT_LIMIT = 5_000;

export type LinkState = MessageOf<'DeviceConnectionResponse'>;

/** The errors with which a proxy answers a request to disconnect: there was no link, or it has ended the link. */
const DISCONNECTED: readonly number[] = [0, Status.localHostTerminated];

export class LinkRequests {
  private readonly waiting = new Map<Address, (answer: LinkState | undefined) => void>();
  /** Devices for which a request to disconnect may still be answered. */
  private readonly lateAnswers = new Set<Address>();

  /** `addressType`: the type of address with which a device advertises. */
  constructor(
    private readonly time: TimeSource,
    private readonly connection: () => ApiConnection | undefined,
    private readonly addressType: (address: Address) => number,
  ) {}

  /** Uses the state of a link as the response to a request. False: there was no request. */
  answer(state: LinkState): boolean {
    const address = addressText(state.address);
    const answer = this.waiting.get(address);
    if (answer === undefined) this.lateAnswers.delete(address);
    answer?.(state);
    return answer !== undefined;
  }

  /** Ends all requests without a response. */
  end(): void {
    for (const answer of [...this.waiting.values()]) answer(undefined);
    this.lateAnswers.clear();
  }

  /** Sends a request about a device that has no response. */
  send(address: Address, requestType: number): void {
    this.connection()?.send('DeviceRequest', {
      ...{ address: addressNumber(address), requestType },
      addressType: this.addressType(address),
    });
  }

  /** Ends a link without waiting. */
  drop(address: Address): void {
    this.lateAnswers.add(address);
    this.send(address, DeviceRequestType.disconnect);
  }

  /**
   * Requests a link until `stop`; undefined: the proxy is gone, or has not ended the attempt in time. `take` gets the answer in the
   * tick in which the answer comes, since the link may end in the same tick.
   */
  connect<A>(
    address: Address,
    withCache: boolean,
    stop: AbortSignal,
    take: (answer: LinkState) => A,
  ): Promise<A | undefined> {
    const type = withCache ? DeviceRequestType.connectWithCache : DeviceRequestType.connect;
    return this.ask(address, type, take, stop);
  }

  /** Resolves when the proxy has ended a link, or at the limit. */
  async disconnect(address: Address): Promise<void> {
    await this.ask(address, DeviceRequestType.disconnect, () => undefined);
  }

  private ask<A>(
    address: Address,
    requestType: number,
    take: (answer: LinkState) => A,
    stop?: AbortSignal,
  ): Promise<A | undefined> {
    if (this.connection() === undefined) return Promise.resolve(undefined);
    const { time } = this;
    return settled<A | undefined>((settle) => {
      let isDisconnecting = false;
      let cancel: Cancel = () => undefined;
      const disconnect = (): void => {
        isDisconnecting = true;
        this.send(address, DeviceRequestType.disconnect);
        cancel = time.after(DISCONNECT_LIMIT, () => {
          this.lateAnswers.add(address);
          settle(undefined);
        });
      };
      stop?.addEventListener('abort', disconnect, { once: true });
      this.waiting.set(address, (answer) => {
        if (answer !== undefined) {
          const isAnswer = !answer.connected && DISCONNECTED.includes(answer.error);
          if (isDisconnecting && !isAnswer) this.lateAnswers.add(address);
          else if (!isDisconnecting && this.lateAnswers.delete(address) && isAnswer) {
            // A proxy ignores a request for a device that it is disconnecting (`bluetooth_proxy.cpp` of ESPHome).
            this.send(address, requestType);
            return;
          }
        }
        settle(answer && take(answer));
      });
      if (requestType === DeviceRequestType.disconnect) disconnect();
      else this.send(address, requestType);
      return () => {
        cancel();
        stop?.removeEventListener('abort', disconnect);
        this.waiting.delete(address);
      };
    })();
  }
}
