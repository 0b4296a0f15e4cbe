export { clock } from './kind.js';
