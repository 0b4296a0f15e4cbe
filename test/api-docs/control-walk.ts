/** Calls every operation of the control API that the walks of the servers leave out. */
import { unplug } from './air.js';
import { property } from './recorder.js';
import { DIE, ABSENT, type Stage } from './stage.js';

const PLAN = {
  seed: 7,
  duration_secs: 60,
  devices: [DIE],
  faults: [{ type: 'link_loss', per_minute: 4 }],
};

export const walkControl = async ({ control, broken, dice }: Stage): Promise<void> => {
  const ofAbsent = { parameters: { address: ABSENT } };
  await control.succeed('health');
  await control.succeed('ready');
  await control.succeed('devices');
  await control.succeed('device', { parameters: { address: DIE } });
  await control.succeed('trace');
  await control.succeed('packets', { parameters: { since: '0', limit: '8' } });
  await control.succeed('violations');
  await control.succeed('air');
  await control.succeed('setAir', { body: { latency_ms: 0, loss: 0 } });
  await control.succeed('adapters');
  await unplug(control, 'hci0', dice);
  await control.succeed('addProxy', { body: { name: 'kitchen', slots: 5 } });
  await control.fail('name_taken', 'addProxy', { body: { name: 'kitchen' } });
  const { body: proxies } = await control.succeed('proxies');
  const port = property(Array.isArray(proxies) ? proxies[0] : undefined, 'port');
  await control.fail('proxy_failed', 'addProxy', { body: { name: 'hall', port } });
  await control.fail('unknown_proxy', 'addFault', { body: { type: 'proxy_deaf', device: 'hall' } });
  await control.succeed('removeProxy', { parameters: { name: 'kitchen' } });
  await control.fail('unknown_proxy', 'removeProxy', { parameters: { name: 'kitchen' } });
  await control.succeed('addFault', { body: { type: 'loss', device: DIE, rate: 0.01 } });
  await control.succeed('faults');
  await control.fail('unknown_fault', 'removeFault', { parameters: { id: 'f999' } });

  await control.fail('unknown_device', 'device', ofAbsent);
  await control.fail('unknown_device', 'act', { ...ofAbsent, body: { type: 'tap' } });
  await control.fail('unknown_device', 'behave', { ...ofAbsent, body: {} });
  await control.fail('unknown_device', 'remove', ofAbsent);
  await control.fail('unknown_device', 'place', { ...ofAbsent, body: { in_range: true } });
  await control.fail('unknown_adapter', 'place', {
    parameters: { address: DIE },
    body: { adapter: 'hci9', in_range: true },
  });
  await control.fail('unknown_device', 'addFault', { body: { type: 'out_of_range', device: ABSENT } });
  await control.fail('unknown_adapter', 'addFault', { body: { type: 'adapter_down', device: 'hci9' } });
  await control.fail('unknown_adapter', 'power', { parameters: { id: 'hci9' }, body: { powered: true } });
  await control.fail('unknown_adapter', 'unplug', { parameters: { id: 'hci9' } });
  await control.fail('not_subscribed', 'act', {
    parameters: { address: 'D1:CE:00:00:00:03' },
    body: { type: 'notify', hex: '52' },
  });

  await control.succeed('add', { body: { kind: 'gatt', name: 'Lamp', pairing: { io: 'keyboard' } } });
  await control.fail('not_asked', 'act', {
    parameters: { address: 'F1:1E:00:00:00:01' },
    body: { type: 'passkey', passkey: 123456 },
  });
  await control.succeed('remove', { parameters: { address: 'F1:1E:00:00:00:01' } });

  await control.fail('no_chaos', 'chaos');
  await control.fail('no_chaos', 'schedule');
  await control.fail('no_chaos', 'stopChaos');
  await control.succeed('startChaos', { body: PLAN });
  await control.succeed('chaos');
  await control.succeed('schedule');
  await control.succeed('stopChaos');

  const events = await control.listen('/events');
  await control.succeed('add', {
    body: { kind: 'dice', address: 'D1:CE:00:00:00:09', color: 'blue' },
  });
  await control.fail('address_taken', 'add', { body: { kind: 'dice', address: DIE } });
  await control.succeed('remove', { parameters: { address: 'D1:CE:00:00:00:09' } });
  while (property(property(await events.next(), 'event'), 'type') !== 'removed');
  await control.succeed('reset', { body: { seed: 1 } });

  await broken.fail('no_trace', 'trace');
  await broken.fail('no_trace', 'packets');
  await broken.fail('device_failed', 'add', { body: { kind: 'dice' } });
};
