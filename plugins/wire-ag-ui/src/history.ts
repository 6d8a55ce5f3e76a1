import { redact, trySync, type Json, type QueuedMessage, type SequencedEntry } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import type { Message } from './event.ts'
import { resultContent, resultMessage, stepMessage, userContent } from './shown.ts'

/** A session as messages of AG-UI, with the ids that its runs have told. Reasoning is not kept. */
export function threadMessages(
  entries: readonly SequencedEntry[],
  queued: readonly QueuedMessage[],
): readonly Message[] {
  const cleared =
    entries.findLast((entry) => entry.kind === 'compacted' && entry.cause === 'clear')?.seq ?? 0
  const messages: Message[] = []
  let [run, step] = ['', 0]
  for (const entry of entries) {
    if (entry.seq <= cleared) continue
    switch (entry.kind) {
      case 'user_message':
        ;[run, step] = [entry.key, 0]
        messages.push(userMessage(entry))
        break
      case 'model_reply': {
        const toolCalls = entry.calls.map(({ id, name, input }) => ({
          id,
          type: 'function' as const,
          function: { name, arguments: shownInput(input) },
        }))
        messages.push({
          id: stepMessage(run, ++step),
          role: 'assistant',
          ...(entry.text !== '' && { content: entry.text }),
          ...(toolCalls.length > 0 && { toolCalls }),
        })
        break
      }
      case 'tool_outcome':
        messages.push(resultOf(entry.call, textOf(entry.output), entry.content))
        break
      case 'child_closed':
        messages.push(resultOf(entry.call, entry.summary, undefined))
        break
      case 'tool_intent':
      case 'input_asked':
      case 'input_answered':
      case 'compacted':
      case 'child_opened':
      case 'run_ended':
      case 'note':
        break
    }
  }
  return [...messages, ...queued.map(userMessage)]
}

const userMessage = ({ key, text, assets }: QueuedMessage): Message => ({
  id: `${key}:user`,
  role: 'user',
  content: userContent(text, assets),
})

const resultOf = (
  call: string,
  text: string,
  content: Parameters<typeof resultContent>[1],
): Message => ({
  id: resultMessage(call),
  role: 'tool',
  toolCallId: call,
  content: resultContent(text, content),
})

const textOf = (output: Json): string =>
  typeof output === 'string' ? output : JSON.stringify(output)

function shownInput(input: string): string {
  const parsed = trySync(
    () => parseExact(input) as Json, // JSON text
    () => undefined,
  )
  return parsed.ok ? JSON.stringify(redact(parsed.value)) : '{}'
}
