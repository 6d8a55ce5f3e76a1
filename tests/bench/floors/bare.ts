/**
 * The floor that every ratio is taken to: the least anyone would write for a chat with a tool. The
 * AI SDK's `streamText` behind Hono's `streamSSE`; the history is a Map in memory; nothing is kept,
 * checked, limited or resumed.
 */

import { parseArgs } from 'node:util'

import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { serve } from '@hono/node-server'
import { type ModelMessage, stepCountIs, streamText, tool } from 'ai'
import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { z } from 'zod'

import { benchTool } from '../vocabulary.ts'
import { announce, answerProbes } from '../probe.ts'

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, 'model-url': { type: 'string', default: '' } },
})

const model = createOpenAICompatible({
  name: 'bench',
  baseURL: values['model-url'],
  includeUsage: true,
})('bench')
const tools = {
  [benchTool.name]: tool({
    description: benchTool.description,
    inputSchema: z.object({ key: z.string() }),
    execute: async () => benchTool.result,
  }),
}
const histories = new Map<string, ModelMessage[]>()

const app = new Hono()

app.post('/chat/stream', async (c) => {
  const body = await c.req.json<{ message: string; session_id?: string }>()
  const sessionId = body.session_id ?? crypto.randomUUID()
  const history = histories.get(sessionId) ?? []
  histories.set(sessionId, history)
  history.push({ role: 'user', content: body.message })

  return streamSSE(c, async (sse) => {
    const send = (type: string, fields: object = {}) =>
      sse.writeSSE({ event: type, data: JSON.stringify({ type, ...fields }) })
    const leave = new AbortController()
    sse.onAbort(() => leave.abort())

    await send('init', { session_id: sessionId })
    const result = streamText({
      model,
      instructions: 'You are a helpful assistant.',
      messages: history,
      tools,
      stopWhen: stepCountIs(8),
      abortSignal: leave.signal,
      onError: () => undefined, // it arrives as a part of the stream
    })
    for await (const part of result.stream) {
      if (part.type === 'text-delta') await send('text_delta', { content: part.text })
      else if (part.type === 'tool-call')
        await send('tool_call_start', {
          tool_id: part.toolCallId,
          tool_name: part.toolName,
          parameters: part.input,
        })
      else if (part.type === 'tool-result')
        await send('tool_call_result', {
          tool_id: part.toolCallId,
          status: 'success',
          result: part.output,
        })
      else if (part.type === 'error') await send('error', { message: String(part.error) })
    }
    history.push(...(await result.responseMessages))
    await send('done', { usage: await result.totalUsage })
  })
})

answerProbes()
serve({ fetch: app.fetch, port: Number(values.port), hostname: '127.0.0.1' }, ({ port }) =>
  announce(port),
)
