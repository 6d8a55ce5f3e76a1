/**
 * The beginning of a text, with a mark that says how much of it is missing; the text itself where
 * it is no longer than `limit` characters.
 */
export const truncate = (text: string, limit: number): string =>
  text.length > limit
    ? `${text.slice(0, limit)}\n… [cut: ${text.length} characters, ${limit} kept]`
    : text

/** The same in one line, for people. */
export const truncateLine = (text: string, limit: number): string =>
  text.length > limit ? `${text.slice(0, limit)}… [cut: ${text.length} characters]` : text
