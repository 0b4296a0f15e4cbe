export {
  OPEN_ACCESS,
  tokenAccess,
  type Access,
  type ChangeableAccess,
  type Principal,
  type Token,
} from './access.js';
export { readTokenFile, watchTokenFile } from './token-file.js';
export { singleToken } from './tokens.js';
