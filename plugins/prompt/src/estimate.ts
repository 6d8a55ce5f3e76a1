/**
 * Tokens of a text of so many characters, at four characters a token: within a fifth of the real
 * number for English prose and Markdown, too low for code, JSON and most other languages. No
 * provider is asked, so that the same prompt has the same budget everywhere; what a call really
 * cost stands in its usage.
 *
 * @example
 * estimateTokens('Hello, world'.length) // 3
 */
export function estimateTokens(chars: number): number {
  return Math.ceil(chars / 4)
}
