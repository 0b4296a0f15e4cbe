/** The name of a die, which people edit in place. */
import { Name as EditedName } from '../common/name.js';
import { setDie } from './actions.js';
import { nameOf } from './state.js';

interface NameProps {
  readonly die: {
    readonly address: string;
    readonly label: string | null;
    readonly name: string | null;
  };
}

export const Name = ({ die: { address, label, name } }: NameProps) => (
  <EditedName
    address={address}
    label={label}
    name={nameOf({ address, name })}
    rename={(changed) => setDie(address, { label: changed })}
  />
);
