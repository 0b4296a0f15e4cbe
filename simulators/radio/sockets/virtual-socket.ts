import { EventEmitter } from 'node:events';
import { DataFlow } from '../../../src/ble/hci/data-flow.js';
import { PacketType } from '../../../src/ble/hci/packets.js';
import type { HciSocket } from '../../../src/ble/hci/socket.js';
import type { Air } from '../air/air.js';
import type { Controller, ControllerOptions } from '../controller/controller.js';

/** The socket of a host to its own controller, in the same process. It does the flow control of data, as a kernel does. */
export class VirtualSocket extends EventEmitter implements HciSocket {
  readonly controller: Controller;
  private started = false;
  private readonly data: DataFlow;

  constructor(
    private readonly air: Air,
    options: ControllerOptions,
  ) {
    super();
    // Never strict: a real host of this kind has a kernel below it, which applies flow control of commands, too.
    this.controller = air.add(
      { ...options, strict: false },
      {
        receive: (packet) => {
          if (packet[0] === PacketType.event) this.data.receive(packet);
          if (this.started) this.emit('data', packet);
        },
        power: (on) => {
          this.data.reset();
          this.emit(on ? 'up' : 'down');
        },
      },
    );
    this.data = new DataFlow((packet) => this.controller.receive(packet));
  }

  bindRaw = (): number => this.controller.index;
  bindUser = (): number => this.controller.index;
  bindControl = (): void => undefined;
  setFilter = (): void => undefined;
  isDevUp = (): boolean => this.controller.powered;

  start(): void {
    this.started = true;
  }

  stop(): void {
    this.started = false;
  }

  write(packet: Buffer): void {
    if (packet[0] === PacketType.acl) this.data.send(packet);
    else this.controller.receive(packet);
  }

  /** Removes the controller from the air. */
  detach(): void {
    this.stop();
    this.air.remove(this.controller);
  }
}
