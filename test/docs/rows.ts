/** Which part of which page is walked, and how it is prepared. */
import {
  briefly,
  inTheClone,
  onLoopback,
  withBroker,
  withFreePorts,
  withGenerators,
  guestInTheClone,
  withGuest,
  withOpenssl,
  withPython,
  withStrap,
  type Row,
} from './walks.js';

export const QUICK: readonly Row[] = [
  { page: 'docs/control-api.md', heading: '## Devices' },
  { page: 'docs/control-api.md', heading: '## Actions' },
  { page: 'docs/control-api.md', heading: '## Behaviour' },
  { page: 'docs/control-api.md', heading: '## The air' },
  { page: 'docs/control-api.md', heading: '## Faults' },
  { page: 'docs/control-api.md', heading: '## Chaos', prepare: inTheClone },
  { page: 'docs/control-api.md', heading: '## Adapters' },
  { page: 'docs/control-api.md', heading: '## Proxies' },
  { page: 'docs/control-api.md', heading: '## Violations' },
  { page: 'docs/control-api.md', heading: '## Trace' },
  { page: 'docs/control-api.md', heading: '## Reset' },
  { page: 'README.md', heading: '## Try it' },
  { page: 'README.md', heading: '## Start' },
  { page: 'docs/clients.md', heading: '## A first walk with a die', prepare: inTheClone },
  { page: 'docs/clients.md', heading: '## A first walk with a clock', prepare: inTheClone },
  { page: 'README.md', heading: '## Home Assistant', prepare: withBroker },
  { page: 'README.md', heading: '## Installed elsewhere' },
  { page: 'docs/replay.md', heading: '# Replay' },
  { page: 'docs/lab/record.md', heading: '# Recording a device', prepare: briefly },
  { page: 'docs/production.md', heading: '## Access', prepare: withOpenssl },
  { page: 'docs/production.md', heading: '## Browsers' },
  { page: 'docs/production.md', heading: '## Behind a proxy' },
  { page: 'docs/production.md', heading: '## Configuration file' },
  { page: 'docs/production.md', heading: '## Logs' },
  { page: 'docs/clients.md', heading: '## Python', prepare: withPython },
  { page: 'docs/features.md', heading: '## Running a part', prepare: inTheClone },
  { page: 'docs/radio.md', heading: '## Sockets and H4', prepare: onLoopback },
  { page: 'docs/fleet.md', heading: '## Seeing it', prepare: withBroker },
  { page: 'docs/fleet.md', heading: '## A walk', prepare: withBroker },
  { page: 'docs/extending.md', heading: '### In this repository', prepare: withFreePorts },
];

/** Walks that compile TypeScript. */
export const COMPILED: readonly Row[] = [
  { page: 'docs/api-docs.md', heading: '## A client', prepare: withGenerators },
  { page: 'docs/extending.md', heading: '### In a folder of its own', prepare: withStrap },
];

/** Walks in a Linux guest. */
export const IN_A_GUEST: readonly Row[] = [
  { page: 'docs/lab/linux.md', heading: '# Any program on the virtual radio', prepare: withGuest },
  { page: 'docs/lab/bluetoothctl.md', heading: '# bluetoothctl', prepare: withGuest },
  { page: 'docs/lab/bleak.md', heading: '# Python with bleak', prepare: withGuest },
  { page: 'docs/lab/devices.md', heading: '# The example devices, by bleak', prepare: guestInTheClone },
];
