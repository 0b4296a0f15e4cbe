/** A dbus-daemon of a test, with a service on it. */
import { spawn } from 'node:child_process';
import { once, type EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Message, MessageType, systemBus, type MessageBus } from '@jellybrick/dbus-next';
import type { Context } from 'mocha';
import { newFolder } from './folders.js';
import { requireProgram } from './require.js';

const configuration = (socket: string): string => `<busconfig>
  <listen>unix:path=${socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_destination="*" eavesdrop="false"/>
    <allow receive_sender="*" eavesdrop="false"/>
    <deny send_interface="org.bluez.Denied"/>
  </policy>
</busconfig>`;

/** Starts dbus-daemon; the test is skipped without it. */
export const startBus = async (test: Context) => {
  requireProgram(test, 'dbus-daemon');
  const folder = newFolder();
  const socket = join(folder, 'bus');
  const path = join(folder, 'bus.conf');
  writeFileSync(path, configuration(socket));
  const child = spawn(
    'dbus-daemon',
    [`--config-file=${path}`, '--nofork', '--nopidfile', '--print-address'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  await once(child.stdout, 'data');
  return {
    address: `unix:path=${socket}`,
    close: async (): Promise<void> => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill();
      await exit;
    },
  };
};

/** A service under `name` on the bus of the environment; `answer` answers its calls, or leaves them pending. */
export const startService = async (name: string, answer: (call: Message) => Message | undefined) => {
  const bus: MessageBus = systemBus({ authMethods: ['EXTERNAL'] });
  // Its types omit the event.
  (bus as EventEmitter).on('error', () => undefined);
  bus.addMethodHandler((call) => {
    const reply = answer(call);
    if (reply !== undefined) bus.send(reply);
    return true;
  });
  await bus.requestName(name, 0);
  return {
    signal: (path: string, member: string, signature = '', body: unknown[] = []): void =>
      bus.send(
        new Message({ type: MessageType.SIGNAL, path, interface: `${name}.Test`, member, signature, body }),
      ),
    close: (): void => bus.disconnect(),
  };
};

/** A socket that accepts connections, and says nothing. */
export const startSilentSocket = async () => {
  const path = join(newFolder(), 'silent');
  const server: Server = createServer((socket) => socket.resume()).listen(path);
  await once(server, 'listening');
  return { address: `unix:path=${path}`, close: () => void server.close() };
};
