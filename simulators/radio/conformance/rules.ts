/** The rules against which a strict controller checks its host; the clause identifies a rule. */
import type { CommandName } from '../../../src/ble/hci/commands.js';
import { specification, type CommandRow } from '../host/specification.js';

export interface Rule {
  /** The clause of the Core specification. */
  readonly clause: string;
  readonly title: string;
}

export const rules = {
  fragments: { clause: 'Vol 3 Part A 7.2.1', title: 'Fragments make up L2CAP packets' },
  packetTypes: { clause: 'Vol 4 Part A 2', title: 'A host sends commands and ACL data, no SCO, no ISO' },
  buffers: { clause: 'Vol 4 Part E 4.1.1', title: 'Data waits until a buffer is free' },
  commandFlow: { clause: 'Vol 4 Part E 4.4', title: 'A command waits for the answer to the last one' },
  data: {
    clause: 'Vol 4 Part E 5.4.2',
    title: 'Data is complete, with valid flags, on an existing link',
  },
  supported: { clause: 'Vol 4 Part E 6.27', title: 'Only supported commands are sent' },
} as const satisfies Readonly<Record<string, Rule>>;

const commandRule = ([clause, name]: CommandRow): Rule => ({
  clause: `Vol 4 Part E ${clause}`,
  title: `HCI_${name}`,
});

/** The rule of a command: its parameters, and the states in which it may be sent. */
export const ruleOf = (command: CommandName): Rule => commandRule(specification[command]);

export const allRules: readonly Rule[] = [
  ...Object.values(rules),
  ...Object.values(specification).map(commandRule),
];
