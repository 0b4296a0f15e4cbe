import { KINDS } from '../../../src/contract/kinds.js';
import { GUEST_PORTS, type Setup } from '../setup.js';
import { runFeatures } from '../features.js';
import { powerOn } from './power.js';

/** A server under emulation is slow to start, and slower to respond than beside the rig. */
const START_LIMIT = 120_000;

const LIMITS = '--connect-timeout 6 --discover-timeout 6 --gatt-timeout 4 --answer-timeout 3';

/**
 * The servers run in the guest, each on an adapter of its kernel's, and pass the features from outside.
 * Checks the flags of a server, which no feature can see: where it listens by default, where it
 * listens with flags, and how much it logs.
 */
export const proveServers = async (setup: Setup): Promise<void> => {
  const { guest, report, air, ports, signal } = setup;
  const diceUrl = `http://127.0.0.1:${ports.dice}`;
  const clockUrl = `http://127.0.0.1:${ports.clock}`;
  for (const index of [0, 1]) await powerOn(guest, index);
  const started = [
    await report.check(
      '@D-listens: without flags the dice server on hci0 is reached at the guest’s address, port 3000',
      async () => {
        await guest.succeeds(
          `serve.sh dice --hci hci0 ${LIMITS} --scan-secs 1 --calibrate-timeout 2`,
          START_LIMIT,
        );
        await ready(diceUrl);
      },
    ),
    await report.check(
      '@C-flag-address @C-flag-port: the clock server on hci1 is reached where its flags say',
      async () => {
        await guest.succeeds(
          `serve.sh clock --hci hci1 --address 10.0.2.15 --port ${GUEST_PORTS.clock} --verbose 2 ${LIMITS}`,
          START_LIMIT,
        );
        await ready(clockUrl);
      },
    ),
  ];
  if (started.includes(false)) return;
  await report.check('@C-flag-verbose: at the given verbosity, it logs that request', async () => {
    await guest.succeeds('timeout 10 sh -c "until grep /ready /run/clock.log; do sleep 0.1; done"');
  });
  await runFeatures(report, { diceUrl, clockUrl, controlUrl: air.controlUrl }, signal);
  for (const name of KINDS) {
    await report.check(`the ${name} server ends in order`, async () => {
      await guest.succeeds(`stop.sh ${name}`, START_LIMIT);
    });
  }
};

const ready = async (url: string): Promise<void> => {
  const { status } = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(START_LIMIT) });
  if (status !== 200) throw new Error(`${url}/ready answers ${status}`);
};
