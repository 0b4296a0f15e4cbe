import type { Command } from 'commander';
import type { Commands } from './completion/candidates.js';

type Load = () => Promise<Command>;

const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'Servers:': {
    dice: async () => (await import('./servers/dice.js')).diceCommand(),
    clock: async () => (await import('./servers/clock.js')).clockCommand(),
    proxy: async () => (await import('./servers/proxy.js')).proxyCommand(),
    fleet: async () => (await import('./servers/fleet.js')).fleetCommand(),
  },
  'Simulation:': {
    rig: async () => (await import('../../simulators/cli/rig.js')).rigCommand(),
    air: async () => (await import('../../simulators/cli/air.js')).airCommand(),
    linux: async () => (await import('../../simulators/cli/linux.js')).linuxCommand(),
    vhci: async () => (await import('../../simulators/cli/vhci.js')).vhciCommand(),
    record: async () => (await import('../../simulators/cli/record.js')).recordCommand(),
    replay: async () => (await import('../../simulators/cli/replay.js')).replayCommand(),
    import: async () => (await import('../../simulators/cli/import.js')).importCommand(),
  },
  'Tests and setup:': {
    features: async () => (await import('../../features/command.js')).featuresCommand(),
    doctor: async () => (await import('./doctor.js')).doctorCommand(),
    'install-service': async () => (await import('./service/install-service.js')).installServiceCommand(),
    completion: async () => (await import('./completion/command.js')).completionCommand(COMMANDS),
  },
};

/** The commands by name, each loaded on demand: all commands together are a thousand files. */
export const COMMANDS: Commands = new Map(
  Object.entries(GROUPS).flatMap(([heading, loads]) =>
    Object.entries(loads).map(([name, load]) => [name, async () => (await load()).helpGroup(heading)]),
  ),
);
