export * from './access.js';
export { readTokenFile, singleToken, watchTokenFile } from './tokens.js';
