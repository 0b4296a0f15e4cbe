/** A tuple of `N` texts. */
type Cells<N extends number, C extends readonly string[] = []> = C['length'] extends N
  ? C
  : Cells<N, readonly [...C, string]>;

/** The rows of a table in text: a line each, with ` | ` between cells. */
export const rows = <N extends number>(columns: N, table: string): readonly Cells<N>[] =>
  table
    .trim()
    .split('\n')
    .map((line) => {
      const cells = line.split(' | ').map((cell) => cell.trim());
      if (cells.length !== columns) throw new Error(`${columns} cells are expected: ${line}`);
      return cells as unknown as Cells<N>;
    });

/** The value of a cell in JSON; `-` is undefined. */
export const jsonOf = (cell: string): unknown => (cell === '-' ? undefined : JSON.parse(cell));

const valueOf = (text: string): number | string | Buffer => {
  if (text.startsWith('x')) return Buffer.from(text.slice(1), 'hex');
  return Number.isNaN(Number(text)) ? text : Number(text);
};

/** Parameters of an HCI command in `name=value name=value`: numbers, texts, and bytes in hex after `x`; `-` has no parameters. */
export const parametersOf = (cell: string): Readonly<Record<string, number | string | Buffer>> =>
  Object.fromEntries(
    cell
      .split(' ')
      .filter((field) => field.includes('='))
      .map((field) => {
        const [name = '', value = ''] = field.split('=');
        return [name, valueOf(value)];
      }),
  );
