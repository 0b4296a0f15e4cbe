import {
  commandName,
  commandSpecs,
  type CommandName,
  type CommandReturns,
} from '../../../src/ble/hci/commands.js';
import { Status } from '../../../src/ble/hci/status.js';
import { isRefusal, refuse, type Handlers } from '../host/command-handlers.js';
import type { Conformance } from '../conformance/conformance.js';
import { DelayQueue } from '../medium/delay-queue.js';
import { encodeCommandComplete, encodeCommandStatus } from '../host/event-packets.js';
import type { Named, Stages } from '../medium/hooks.js';
import type { HostQueue } from '../host/host-queue.js';
import type { Medium } from '../medium/medium.js';

/** Carries out the commands of a host in order, and answers each with a status or its return parameters. */
export class CommandDispatcher {
  /** Commands that a hook delays, and all that came after them. */
  readonly delayed: DelayQueue;

  constructor(
    private readonly controller: Named,
    private readonly handlers: Handlers,
    private readonly medium: Medium,
    private readonly conformance: Conformance,
    private readonly host: HostQueue,
  ) {
    this.delayed = new DelayQueue(medium.time);
  }

  /** A command packet, its H4 type byte first. */
  receive(packet: Buffer): void {
    const opcode = packet.readUInt16LE(1);
    const payload = packet.subarray(4);
    const { hooks } = this.medium;
    if (hooks.at.command === undefined && this.delayed.empty) {
      this.execute(opcode, payload);
      return;
    }
    const passing: Stages['command'] = { controller: this.controller, opcode, payload, delay: 0 };
    if (!hooks.passes('command', passing)) return;
    const { refused } = passing;
    const { packet: place } = this.conformance;
    this.delayed.push(passing.delay, () => {
      this.conformance.packet = place;
      if (refused === undefined) this.execute(opcode, passing.payload);
      else this.refuse(opcode, refused, passing.payload);
    });
  }

  /** Answers a refused command. */
  private refuse(opcode: number, status: number, body: Buffer): void {
    const name = commandName(opcode);
    if (name === undefined) this.host.send(encodeCommandComplete(opcode, Buffer.from([status])));
    else this.answer(commandSpecs[name], body, status);
  }

  private execute(opcode: number, body: Buffer): void {
    const name = commandName(opcode);
    this.conformance.sentCommand(name, this.host.waiting);
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
      : refuse(
          Status.invalidParameters,
          `its parameters must be ${hasTail ? 'at least ' : ''}${parameters.size} bytes, got ${body.length}`,
        );
    if (isRefusal(answer)) this.conformance.refused(name, answer);
    this.answer(spec, body, isRefusal(answer) ? answer.refused : answer);
  }

  private answer<N extends CommandName>(
    { opcode, returns, repeats }: (typeof commandSpecs)[N],
    body: Buffer,
    reply: number | CommandReturns<N>,
  ): void {
    const status = typeof reply === 'number' ? reply : Status.success;
    if (returns === undefined) {
      this.host.send(encodeCommandStatus(opcode, status));
      return;
    }
    const values = typeof reply === 'number' ? Buffer.alloc(returns.size) : returns.write(reply);
    // A failed command returns only the parameters that it repeats, such as the handle.
    if (typeof reply === 'number') body.copy(values, 0, 0, repeats);
    this.host.send(encodeCommandComplete(opcode, Buffer.concat([Buffer.from([status]), values])));
  }
}
