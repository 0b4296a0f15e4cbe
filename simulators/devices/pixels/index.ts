export { pixels } from './kind.js';
