/** A table for a terminal; the columns of `right` are numbers. */
export const columns = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly string[] = [],
): string => {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const cellOf = (text: string, column: number): string => {
    const width = widths[column] ?? 0;
    return right.includes(head[column] ?? '') ? text.padStart(width) : text.padEnd(width);
  };
  return lines.map((line) => line.map(cellOf).join('  ').trimEnd()).join('\n');
};
