/** The button that looks for devices. */
import { Action, type ActionProps } from './action.js';
import { connection } from './server.js';

export const Scan = (props: Pick<ActionProps, 'label' | 'busy' | 'run'>) => (
  <Action primary disabled={connection.value !== 'open'} {...props} />
);
