const SAFE = new Set(['http:', 'https:', 'mailto:'])

/**
 * The address of a link that a text of the model may lead to; `undefined` for scripts, data, files
 * and whatever is relative to the page.
 */
export function safeLink(href: string): string | undefined {
  try {
    const url = new URL(href)
    return SAFE.has(url.protocol) ? url.href : undefined
  } catch {
    return undefined
  }
}
