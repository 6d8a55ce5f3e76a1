import { chatCompletions } from '../model-frames.ts'
import { converse } from './converse.ts'
import { generateContent } from './generate-content.ts'
import { messages } from './messages.ts'
import type { ModelProtocol } from './protocol.ts'
import { responses } from './responses.ts'

const PROTOCOLS: readonly ModelProtocol[] = [
  chatCompletions,
  responses,
  messages,
  generateContent,
  converse,
]

/** The protocol that a path belongs to. */
export function protocolOf(url: string): ModelProtocol | undefined {
  const [path = ''] = url.split('?', 1)
  return PROTOCOLS.find((protocol) => protocol.path.test(path))
}
