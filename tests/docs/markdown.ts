/** A table of Markdown; a `|` in a cell is part of its text. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')

export const code = (text: string): string => `\`${text}\``

/** From `docs/reference` a link to the page of a plugin, or the name of another part. */
export const partLink = (name: string, plugins: ReadonlySet<string>): string =>
  plugins.has(name) ? `[${name}](../plugins/${name}.md)` : name
