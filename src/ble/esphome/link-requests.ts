/** Requests of a proxy that concern a link: to make it, and to end it. One at a time for each device. */
import type { TimeSource } from '../../async/time.js';
import { settled } from '../../async/wait.js';
import {
  addressNumber,
  addressText,
  DeviceRequestType,
  type ApiConnection,
  type MessageOf,
} from '../../esphome/index.js';
import type { Address } from '../ports.js';

/** How long a proxy may take to end a link or an attempt, ms. */
const DISCONNECT_LIMIT = 2_000;

export type LinkState = MessageOf<'DeviceConnectionResponse'>;

export class LinkRequests {
  private readonly waiting = new Map<Address, (answer: LinkState | undefined) => void>();

  /** `addressType`: as the device advertises. */
  constructor(
    private readonly time: TimeSource,
    private readonly connection: () => ApiConnection | undefined,
    private readonly addressType: (address: Address) => number,
  ) {}

  /** Takes the state of a link as the response to a request. False: there was no request. */
  answer(state: LinkState): boolean {
    const answer = this.waiting.get(addressText(state.address));
    answer?.(state);
    return answer !== undefined;
  }

  /** Ends all requests without a response. */
  end(): void {
    for (const answer of [...this.waiting.values()]) answer(undefined);
  }

  /** Sends a request about a device that has no response. */
  send(address: Address, requestType: number): void {
    this.connection()?.send('DeviceRequest', {
      ...{ address: addressNumber(address), requestType },
      addressType: this.addressType(address),
    });
  }

  /**
   * Asks for a link until `stop`; undefined: the proxy is gone, or has not ended the attempt in time. `take` gets the answer in the very
   * tick in which it comes, since the link may end in the same.
   */
  connect<A>(
    address: Address,
    withCache: boolean,
    stop: AbortSignal,
    take: (answer: LinkState) => A,
  ): Promise<A | undefined> {
    const type = withCache ? DeviceRequestType.connectWithCache : DeviceRequestType.connect;
    return this.ask(address, type, null, take, stop);
  }

  /** Resolves when the proxy has ended a link, or should have. */
  async disconnect(address: Address): Promise<void> {
    await this.ask(address, DeviceRequestType.disconnect, DISCONNECT_LIMIT, () => undefined);
  }

  private ask<A>(
    address: Address,
    requestType: number,
    ms: number | null,
    take: (answer: LinkState) => A,
    stop?: AbortSignal,
  ): Promise<A | undefined> {
    if (this.connection() === undefined) return Promise.resolve(undefined);
    const { time } = this;
    return settled<A | undefined>((settle) => {
      let cancel = ms === null ? () => undefined : time.after(ms, () => settle(undefined));
      const onStop = (): void => {
        this.send(address, DeviceRequestType.disconnect);
        cancel = time.after(DISCONNECT_LIMIT, () => settle(undefined));
      };
      stop?.addEventListener('abort', onStop, { once: true });
      this.waiting.set(address, (answer) => settle(answer && take(answer)));
      this.send(address, requestType);
      return () => {
        cancel();
        stop?.removeEventListener('abort', onStop);
        this.waiting.delete(address);
      };
    })();
  }
}
