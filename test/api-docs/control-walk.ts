/** Calls the operations of the control API that the walks of the servers do not call. */
import { unplug } from './air.js';
import { property } from './recorder.js';
import { ABSENT, DIE, NAMELESS, type Stage } from './stage.js';

const FAULTS = [{ type: 'link_loss', per_minute: 4 }];
const PLAN = { seed: 7, duration_secs: 60, devices: [DIE], faults: FAULTS };

export const walkControl = async ({ control, broken, dice }: Stage): Promise<void> => {
  const ofDie = { parameters: { address: DIE } };
  const ofAbsent = { parameters: { address: ABSENT } };
  const ofHci9 = { parameters: { id: 'hci9' } };
  for (const operation of ['health', 'ready', 'devices', 'trace', 'violations', 'air', 'adapters'])
    await control.succeed(operation);
  await control.succeed('device', ofDie);
  await control.succeed('packets', { parameters: { since: '0', limit: '8' } });
  await control.succeed('setAir', { body: { latency_ms: 0, loss: 0 } });
  await unplug(control, 'hci0', dice);
  await control.succeed('addProxy', { body: { name: 'kitchen', slots: 5 } });
  const { body: proxies } = await control.succeed('proxies');
  const port = property(Array.isArray(proxies) ? proxies[0] : undefined, 'port');
  await control.fail('name_taken', 'addProxy', { body: { name: 'kitchen' } });
  await control.fail('proxy_failed', 'addProxy', { body: { name: 'hall', port } });
  await control.succeed('removeProxy', { parameters: { name: 'kitchen' } });
  await control.succeed('addFault', { body: { type: 'loss', device: DIE, rate: 0.01 } });
  await control.succeed('faults');
  await control.succeed('add', { body: { kind: 'gatt', name: 'Lamp', pairing: { io: 'keyboard' } } });
  const lamp = { parameters: { address: 'F1:1E:00:00:00:01' } };
  for (const [code, operation, given] of [
    ['unknown_proxy', 'addFault', { body: { type: 'proxy_deaf', device: 'hall' } }],
    ['unknown_proxy', 'removeProxy', { parameters: { name: 'kitchen' } }],
    ['unknown_fault', 'removeFault', { parameters: { id: 'f999' } }],
    ['unknown_device', 'device', ofAbsent],
    ['unknown_device', 'act', { ...ofAbsent, body: { type: 'tap' } }],
    ['unknown_device', 'behave', { ...ofAbsent, body: {} }],
    ['unknown_device', 'remove', ofAbsent],
    ['unknown_device', 'place', { ...ofAbsent, body: { in_range: true } }],
    ['unknown_device', 'addFault', { body: { type: 'out_of_range', device: ABSENT } }],
    ['unknown_adapter', 'place', { ...ofDie, body: { adapter: 'hci9', in_range: true } }],
    ['unknown_adapter', 'addFault', { body: { type: 'adapter_down', device: 'hci9' } }],
    ['unknown_adapter', 'power', { ...ofHci9, body: { powered: true } }],
    ['unknown_adapter', 'unplug', ofHci9],
    ['not_subscribed', 'act', { ...ofDie, body: { type: 'notify', hex: '52' } }],
    ['not_asked', 'act', { ...lamp, body: { type: 'passkey', passkey: 123456 } }],
    ['address_taken', 'add', { body: { kind: 'dice', address: DIE } }],
    ['no_chaos', 'chaos', {}],
    ['no_chaos', 'schedule', {}],
    ['no_chaos', 'stopChaos', {}],
  ] as const)
    await control.fail(code, operation, given);
  await control.succeed('remove', lamp);
  await control.succeed('startChaos', { body: PLAN });
  for (const operation of ['chaos', 'schedule', 'stopChaos']) await control.succeed(operation);

  const events = await control.listen('/events');
  await control.succeed('add', { body: { kind: 'dice', address: NAMELESS, color: 'blue' } });
  await control.succeed('remove', { parameters: { address: NAMELESS } });
  while (property(property(await events.next(), 'event'), 'type') !== 'removed');
  await control.succeed('reset', { body: { seed: 1 } });

  await broken.fail('no_trace', 'trace');
  await broken.fail('no_trace', 'packets');
  await broken.fail('device_failed', 'add', { body: { kind: 'dice' } });
};
