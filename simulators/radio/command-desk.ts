import {
  commandName,
  commandSpecs,
  type CommandName,
  type CommandReturns,
} from '../../src/ble/hci/commands.js';
import { encodeCommandComplete, encodeCommandStatus } from '../../src/ble/hci/packets.js';
import { Status } from '../../src/ble/hci/status.js';
import { isRefusal, refuse, type Handlers } from './command-handlers.js';
import { commandTable } from './command-table.js';
import type { Conformance } from './conformance.js';
import type { Controller } from './controller.js';
import type { HostQueue } from './host-queue.js';
import type { Stages } from './hooks.js';
import { Line } from './line.js';

/** A host's commands: carried out in their order, each answered with a status or its return parameters. */
export class CommandDesk {
  private readonly handlers: Handlers;
  /** What a hook has held back, with all that came after it. */
  private readonly held: Line;

  constructor(
    private readonly controller: Controller,
    private readonly conformance: Conformance,
    private readonly forHost: HostQueue,
  ) {
    this.handlers = commandTable(controller);
    this.held = new Line(controller.air.clock);
  }

  take(packet: Buffer): void {
    const opcode = packet.readUInt16LE(1);
    const payload = packet.subarray(4);
    const { controller } = this;
    const { hooks } = controller.air;
    if (hooks.at.command === undefined && this.held.empty) {
      this.execute(opcode, payload);
      return;
    }
    const passing: Stages['command'] = { controller, opcode, payload, delay: 0 };
    if (!hooks.passes('command', passing)) return;
    const { refused } = passing;
    this.held.push(passing.delay, () => {
      if (refused === undefined) this.execute(opcode, passing.payload);
      else this.refuse(opcode, refused, passing.payload);
    });
  }

  /** Takes what hooks hold back. */
  release(): void {
    this.held.release();
  }

  /** Drops what hooks hold back. */
  dropHeld(): void {
    this.held.clear();
  }

  /** Answers a command that is not carried out. */
  private refuse(opcode: number, status: number, body: Buffer): void {
    const name = commandName(opcode);
    if (name === undefined) this.controller.toHost(encodeCommandComplete(opcode, Buffer.from([status])));
    else this.answer(commandSpecs[name], body, status);
  }

  private execute(opcode: number, body: Buffer): void {
    const name = commandName(opcode);
    this.conformance.sentCommand(name, this.forHost.waiting);
    if (name === undefined) {
      this.conformance.sentUnknownCommand(opcode);
      this.refuse(opcode, Status.unknownCommand, body);
    } else this.run(name, commandSpecs[name], body);
  }

  private run<N extends CommandName>(name: N, spec: (typeof commandSpecs)[N], body: Buffer): void {
    const { parameters, hasTail } = spec;
    const fits = hasTail ? body.length >= parameters.size : body.length === parameters.size;
    const answer = fits
      ? this.handlers[name](parameters.read(body))
      : refuse(Status.invalidParameters, `${body.length} bytes are no length of its parameters`);
    if (isRefusal(answer)) this.conformance.refused(name, answer);
    this.answer(spec, body, isRefusal(answer) ? answer.refused : answer);
  }

  private answer<N extends CommandName>(
    { opcode, returns, repeats }: (typeof commandSpecs)[N],
    body: Buffer,
    reply: number | CommandReturns<N>,
  ): void {
    if (returns === undefined) {
      this.controller.toHost(encodeCommandStatus(opcode, typeof reply === 'number' ? reply : Status.success));
      return;
    }
    const values = typeof reply === 'number' ? Buffer.alloc(returns.size) : returns.write(reply);
    // Of a failed command nothing is told but what it was about.
    if (typeof reply === 'number') body.copy(values, 0, 0, repeats);
    const status = typeof reply === 'number' ? reply : Status.success;
    this.controller.toHost(encodeCommandComplete(opcode, Buffer.concat([Buffer.from([status]), values])));
  }
}
