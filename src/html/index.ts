/** Reports for people: HTML as a value, and how it looks. */
export { escaped, Html, html, nothing } from './html.js';
export { styleWith } from './style.js';
