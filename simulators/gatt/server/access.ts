import { AttError } from '../../../src/ble/hci/att.js';
import type { Security } from '../../smp/index.js';
import type { Permission } from '../description/services.js';

/**
 * The ATT error for a host that lacks what an operation needs, 0 if it lacks nothing: with a key it is to encrypt the link,
 * without one it is to pair (Core 5.4 Vol 3 Part C 10.3.1).
 */
export const accessError = (
  needed: Permission,
  { level, bond }: Pick<Security, 'level' | 'bond'>,
  authorised: boolean,
): number => {
  if (needed === 'open') return 0;
  if (needed === 'authorised') return authorised ? 0 : AttError.insufficientAuthorization;
  if (level === 'authenticated' || (level === 'encrypted' && needed === 'encrypted')) return 0;
  const canEncrypt = bond !== undefined && (bond.authenticated || needed === 'encrypted');
  return level === 'open' && canEncrypt
    ? AttError.insufficientEncryption
    : AttError.insufficientAuthentication;
};
