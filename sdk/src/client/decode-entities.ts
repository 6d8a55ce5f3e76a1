const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: '\u00a0',
}

/**
 * A text of Markdown without its entities, for what is shown as text: the server writes some of
 * them where a text looks like HTML. Whatever else stays as it is.
 *
 * @example decodeEntities('1 &lt; 2') // '1 < 2'
 */
export const decodeEntities = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (entity, name: string) => ENTITIES[name] ?? entity)
