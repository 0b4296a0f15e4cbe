import { hexText } from '../../../src/bytes/index.js';
import type { Context } from '../device.js';
import type { PeripheralCharacteristic } from '../../peripheral/index.js';

const SUCCESS = 0;

/** The two characteristics by which a host and a die exchange messages; both are told to the listeners of the world. */
export class MessagePort {
  readonly characteristics: readonly PeripheralCharacteristic[];
  private notify: ((value: Buffer) => void) | undefined;

  constructor(
    uuids: { readonly write: string; readonly notify: string },
    private readonly context: Pick<Context, 'happened' | 'changed'>,
    onWritten: (value: Buffer) => void,
  ) {
    this.characteristics = [
      {
        uuid: uuids.write,
        properties: ['write', 'writeWithoutResponse'],
        onWrite: (value) => {
          context.happened(() => ({ type: 'written', hex: hexText(value) }));
          return SUCCESS;
        },
        onWritten,
      },
      {
        uuid: uuids.notify,
        properties: ['notify'],
        onSubscribe: (notify) => this.subscribe(notify),
        onUnsubscribe: () => this.subscribe(undefined),
      },
    ];
  }

  get subscribed(): boolean {
    return this.notify !== undefined;
  }

  /** False if no host has subscribed. */
  send(value: Buffer): boolean {
    if (this.notify === undefined) return false;
    this.notify(value);
    this.context.happened(() => ({ type: 'notified', hex: hexText(value) }));
    return true;
  }

  private subscribe(notify: ((value: Buffer) => void) | undefined): void {
    this.notify = notify;
    this.context.changed();
  }
}
