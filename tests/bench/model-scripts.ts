/**
 * The scripts of the benchmarks. The newest user message names the one to play, so that one model
 * server serves every scenario: `bench:text:20` anywhere in it means twenty chunks of text.
 */

import {
  type ChatCompletionRequest,
  endsWithToolResult,
  lastUserText,
  reply,
  type Reply,
} from '@amodal/sdk/testing'

import { benchTool, randomLetters, sentinel } from './vocabulary.ts'

const word = /bench:([a-z]+)(?::(\d+))?(?::(\d+))?/

/** The script function of the benchmarks' model server, with a store of replies of its own. */
export function benchScript(): (request: ChatCompletionRequest) => Reply {
  const replies = new Map<string, Reply>()
  const once = (key: string, make: () => Reply): Reply => {
    const reply = replies.get(key) ?? make()
    replies.set(key, reply)
    return reply
  }

  return (request) => {
    const [key = '', kind = '', first = '20', second = '20'] =
      word.exec(lastUserText(request)) ?? []
    switch (kind) {
      case 'text':
        return once(key, () => reply.text(words(Number(first))))
      case 'tool':
        return endsWithToolResult(request)
          ? once('text after tool', () => reply.text(words(20)))
          : once(key, () => reply.toolCalls({ name: benchTool.name, arguments: { key: 'a' } }))
      case 'request':
        return endsWithToolResult(request)
          ? once('text after tool', () => reply.text(words(20)))
          : once(key, () =>
              reply.toolCalls({
                name: 'request',
                arguments: { connection: 'crm', method: 'GET', endpoint: '/contacts/c-17' },
              }),
            )
      case 'paced':
        return once(key, () => reply.text(words(Number(first)), { pace: Number(second) }))
      case 'random':
        return reply.text([
          ...Array.from({ length: Number(first) - 1 }, () => randomLetters(12)),
          sentinel,
        ])
      case 'hold':
        return once(key, () => reply.text(['held ', sentinel], { pace: Number(first) }))
      default:
        return reply.httpError(400, {
          message: `no bench script in the newest user message: ${lastUserText(request).slice(0, 200)}`,
        })
    }
  }
}

function words(chunks: number): readonly string[] {
  return [
    ...Array.from(
      { length: chunks - 1 },
      (_, n) => `${['alpha', 'beta', 'gamma', 'delta'][n % 4]} `,
    ),
    sentinel,
  ]
}
