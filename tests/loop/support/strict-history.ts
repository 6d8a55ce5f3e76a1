import type { Message } from '@amodal/sdk'

/**
 * What an endpoint would refuse in a history: a call without its result, a result without its call,
 * an id used twice.
 */
export function historyProblem(messages: readonly Message[]): string | undefined {
  let open = new Set<string>()
  const seen = new Set<string>()
  for (const [index, message] of messages.entries()) {
    const at = `message ${index} (${message.role})`
    if (message.role === 'tool') {
      for (const part of message.content)
        if (part.type === 'tool-result' && !open.delete(part.toolCallId))
          return `${at} answers "${part.toolCallId}", which no open call is named`
      continue
    }
    if (open.size > 0) return `${at} comes before the results of ${[...open].join(', ')}`
    if (message.role === 'system') continue
    if (message.content.length === 0) return `${at} is empty`
    if (message.role !== 'assistant') continue
    const ids = message.content.flatMap((part) =>
      part.type === 'tool-call' ? [part.toolCallId] : [],
    )
    for (const id of ids) {
      if (!/^[\w-]{1,128}$/.test(id)) return `${at} has a call with the id "${id}"`
      if (seen.has(id)) return `${at} uses the call id "${id}" again`
      seen.add(id)
    }
    open = new Set(ids)
  }
  return open.size > 0
    ? `the history ends before the results of ${[...open].join(', ')}`
    : undefined
}
