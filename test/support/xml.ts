/** An XML element; text and CDATA of its own together. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
}

interface Open {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const decoded = (text: string): string => {
  if (/[<]|&(?!(?:\w+|#\w+);)/.test(text)) throw new Error(`a bare < or & in ${JSON.stringify(text)}`);
  return text.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex?: string, code?: string, name?: string) => {
      if (name !== undefined) {
        const character = ENTITIES[name];
        if (character === undefined) throw new Error(`the entity ${whole} is unknown`);
        return character;
      }
      return String.fromCodePoint(hex === undefined ? Number(code) : parseInt(hex, 16));
    },
  );
};

const attributesOf = (text: string): Record<string, string> => {
  const attributes: Record<string, string> = {};
  const rest = text.replace(/\s+([\w:.-]+)="([^"]*)"/g, (_, name: string, value: string) => {
    if (name in attributes) throw new Error(`the attribute ${name} comes twice`);
    attributes[name] = decoded(value);
    return '';
  });
  if (rest.trim() !== '') throw new Error(`no attributes: ${rest}`);
  return attributes;
};

/** The root of a document without a doctype; throws if it is not well-formed. */
export const parseXml = (document: string): Element => {
  const body = document.replace(/^<\?xml[^?]*\?>\s*/, '').trim();
  const root: Open = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const token =
    /<!\[CDATA\[(.*?)\]\]>|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+="[^"]*")*)\s*(\/?)>|([^<]+)/gsy;
  while (token.lastIndex < body.length) {
    const at = token.lastIndex;
    const found = token.exec(body);
    const current = open.at(-1) ?? root;
    if (found === null) throw new Error(`no XML at ${at}: ${body.slice(at, at + 40)}`);
    const [, cdata, closes, opens, attributes = '', empty, text] = found;
    if (cdata !== undefined) current.text += cdata;
    else if (text !== undefined) current.text += decoded(text).trim();
    else if (closes !== undefined) {
      if (current.name !== closes) throw new Error(`</${closes}> ends <${current.name}>`);
      open.pop();
    } else if (opens !== undefined) {
      const element: Open = { name: opens, attributes: attributesOf(attributes), children: [], text: '' };
      current.children.push(element);
      if (empty !== '/') open.push(element);
    }
  }
  const [documentElement, ...others] = root.children;
  if (open.length !== 1 || documentElement === undefined || others.length > 0 || root.text !== '') {
    throw new Error('a document has one element');
  }
  return documentElement;
};
