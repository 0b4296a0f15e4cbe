import { SaxesParser } from 'saxes';

/** An XML element; `text`: its own text and CDATA together. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** The root of a document; throws if it is not well-formed. */
export const parseXml = (document: string): Element => {
  const outside: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [outside];
  const parser = new SaxesParser();
  const addText = (text: string): void => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  };
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = { name, attributes, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => addText(text.trim()));
  parser.on('cdata', addText);
  parser.on('closetag', () => void open.pop());
  parser.write(document).close();
  const [root] = outside.children;
  if (root === undefined) throw new Error('a document has one element');
  return root;
};
