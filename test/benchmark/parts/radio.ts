/** The virtual radio: many devices in one process, and a host in another. */
import { startChild, type Child } from '../child.js';
import { rateMatch, scaled, type Part, type Scale } from '../part.js';

const BURST = 50;
const WORK = [
  { what: 'roundTrip', called: 'round trips', count: 10_000, each: 1 },
  { what: 'notifications', called: 'notifications', count: 1_000, each: BURST },
];

/** Runs each kind of work once, so that all loads are equally warm. */
const startWarm = async (scale: Scale, devices: number, hosts: number): Promise<Child<unknown>> => {
  const load = await startChild('radio-load', [devices, hosts]);
  for (const { what, count } of WORK) await load.ask({ what, times: scaled(scale, count) });
  return load;
};

export const radio: Part = {
  name: 'radio',
  summary: 'noble and bleno on our radio in one process: many devices, against one',
  async *matches(scale) {
    const one = await startWarm(scale, 1, 1);
    for (const { devices, hosts, goal } of [
      { devices: 100, hosts: 1, goal: undefined },
      { devices: 1_000, hosts: 50, goal: { atLeast: 0.8 } },
    ]) {
      const fewer = Math.max(10, scaled(scale, devices));
      const many = await startWarm(scale, fewer, Math.min(hosts, fewer));
      for (const { what, called, count, each } of WORK) {
        const figure = `${called}, ${devices} devices on ${hosts} hosts, against 1`;
        const times = Math.max(fewer, scaled(scale, 2 * count));
        yield rateMatch(
          { figure, unit: `${called}/s`, goal, count: times * each },
          { child: many, work: () => many.ask({ what, times }) },
          { child: one, work: () => one.ask({ what, times }) },
        );
      }
    }
  },
};

export const h4: Part = {
  name: 'h4',
  summary: 'a host and a device in two processes, against bytes that are answered over the same socket',
  async *matches(scale) {
    const device = await startChild<Readonly<Record<string, string>>>('h4-device');
    const { hciPort = '', echoPort = '', address = '' } = device.ready;
    const host = await startChild('h4-host', [hciPort, echoPort, address]);
    for (const { what, called, count, each } of WORK) {
      const figure = `${called} over TCP`;
      const times = scaled(scale, count);
      const measure = async (floor: boolean): Promise<Record<string, number>> => {
        const begun = performance.now();
        await host.ask({ what, times, floor });
        return { [figure]: (times * each) / ((performance.now() - begun) / 1000) };
      };
      for (const floor of [false, true]) await measure(floor);
      yield {
        figures: { [figure]: { unit: `${called}/s`, goal: { atLeast: 0.5 } } },
        ours: () => measure(false),
        floor: () => measure(true),
      };
    }
  },
};
