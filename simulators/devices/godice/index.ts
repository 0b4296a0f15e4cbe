export { dice } from './kind.js';
