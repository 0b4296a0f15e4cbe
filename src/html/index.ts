/** Reports for people: HTML as a value, with templates that escape all text; and their style. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | readonly Html[];

/** Text as HTML. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

const textOf = (part: Part): string => {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return escaped(String(part));
};

export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.reduce((text, string, at) => text + textOf(parts[at - 1] ?? '') + string));

export const nothing = new Html('');

/** No state is shown by colour alone, and every text has a contrast of 4.5 to 1 or more, light and dark. */
const LOOK = `
:root {
  color-scheme: light dark;
  --page: light-dark(#fbfbf9, #16181b);
  --card: light-dark(#ffffff, #1d2024);
  --text: light-dark(#1f2328, #e3e6ea);
  --quiet: light-dark(#5d6570, #a0a8b2);
  --rule: light-dark(#dfe2e6, #343a41);
  --good: light-dark(#1a6b37, #6fcf8f);
  --bad: light-dark(#b3261e, #ff9a90);
  --bad-back: light-dark(#fdeeec, #3a2322);
  --open: light-dark(#7a5200, #e3b866);
  --link: light-dark(#0b57a4, #8bbcf5);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main, header { max-width: 84rem; margin: 0 auto; padding: 0 1.5rem; }
main { padding-bottom: 3rem; }
header { padding-top: 1.75rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; font-weight: 650; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; font-weight: 650; }
p { margin: .25rem 0; max-width: 60rem; }
a { color: var(--link); }
code, .tag, .where { font-family: ui-monospace, "SF Mono", Consolas, "DejaVu Sans Mono", monospace; font-size: .86em; }
.quiet, .where, time, .reason { color: var(--quiet); }
.scroll { overflow-x: auto; border: 1px solid var(--rule); border-radius: 8px; background: var(--card); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem; border-bottom: 1px solid var(--rule); font-weight: 400; }
tbody:last-child tr:last-child > * { border-bottom: 0; }
thead th { font-weight: 650; border-bottom-width: 2px; background: var(--card); }
.state { font-weight: 600; white-space: nowrap; }
.passed { color: var(--good); }
.failed { color: var(--bad); }
.skipped { color: var(--open); }
.trouble { border-left: 4px solid var(--bad); padding: .4rem .9rem; margin: .5rem 0; background: var(--bad-back); }
ul { margin: .25rem 0; padding-left: 1.2rem; }
@media print {
  :root { color-scheme: light; --page: #fff; }
  body { font-size: 9.5pt; }
  main, header { max-width: none; padding-inline: 0; }
  .scroll { overflow: visible; border-radius: 0; }
  thead { display: table-header-group; }
}
`;

/** The style of all reports, and `css` for one of them. */
export const styleWith = (css: string): Html => new Html(`<style>${LOOK}${css}</style>`);
