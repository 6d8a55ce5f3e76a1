/** Begins the context that a front end sends with a message. It is not verified. */
const OPEN = '\n\n<context>\n'
const CLOSE = '\n</context>'

/**
 * A person's message with what the front end sent along, as the model reads it.
 *
 * @param context names and values; none of them, and the message stays as it is
 * @example
 * withContext('Pay it.', { page: 'Invoice 7' })
 * // → 'Pay it.\n\n<context>\npage: Invoice 7\n</context>'
 */
export function withContext(text: string, context: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries(context)
    .map(([key, value]) => `${key}: ${value}`)
    .join('\n')
  return lines === '' ? text : `${text}${OPEN}${lines}${CLOSE}`
}

/** Splits such a message into its two parts; `context` is empty if there is none. */
export function splitContext(message: string): { readonly text: string; readonly context: string } {
  const at = message.indexOf(OPEN)
  if (at === -1) return { text: message, context: '' }
  return {
    text: message.slice(0, at),
    context: message.slice(at + OPEN.length, message.endsWith(CLOSE) ? -CLOSE.length : undefined),
  }
}
