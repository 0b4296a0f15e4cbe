/** HTML as a value: whatever is put into a template is escaped, unless it is HTML itself. */

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

const textOf = (part: Part): string => {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return String(part).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
};

export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.reduce((text, string, at) => text + textOf(parts[at - 1] ?? '') + string));

export const nothing = new Html('');
