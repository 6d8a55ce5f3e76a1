/**
 * What hand-written code can reach: plain `node:http` on both sides, a parser of its own for the
 * model's stream, all events of one piece of input in one write. History in memory, tools in a
 * loop.
 */

import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { parseArgs } from 'node:util'

import { benchTool } from '../vocabulary.ts'
import { announce, answerProbes } from '../probe.ts'

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, 'model-url': { type: 'string', default: '' } },
})

interface ToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { name: string; arguments: string }
}

interface Message {
  readonly role: string
  readonly content: string | null
  readonly tool_calls?: readonly ToolCall[]
  readonly tool_call_id?: string
}

interface Chunk {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string
      readonly tool_calls?: readonly {
        index: number
        id?: string
        function: { name?: string; arguments?: string }
      }[]
    }
  }[]
}

const endpoint = `${values['model-url']}/chat/completions`
const agent = new Agent({ keepAlive: true })
const histories = new Map<string, Message[]>()
const system: Message = { role: 'system', content: 'You are a helpful assistant.' }
const tools = [
  {
    type: 'function',
    function: {
      name: benchTool.name,
      description: benchTool.description,
      parameters: {
        type: 'object',
        properties: { key: { type: 'string' } },
        required: ['key'],
        additionalProperties: false,
      },
    },
  },
]

const server = createServer((incoming, response) => {
  void turn(incoming, response).catch((error: unknown) =>
    response.end(event('error', { message: String(error) })),
  )
})

async function turn(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8')) text += String(chunk)
  const body = JSON.parse(text) as { message: string; session_id?: string }
  const sessionId = body.session_id ?? crypto.randomUUID()
  const history = histories.get(sessionId) ?? []
  histories.set(sessionId, history)
  history.push({ role: 'user', content: body.message })

  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(event('init', { session_id: sessionId }))
  for (let step = 0; step < 8; step += 1) {
    const answer = await callModel(history, response)
    history.push(answer)
    if (answer.tool_calls === undefined) break
    for (const call of answer.tool_calls) {
      const result = JSON.stringify(benchTool.result)
      response.write(
        event('tool_call_start', {
          tool_id: call.id,
          tool_name: call.function.name,
          parameters: JSON.parse(call.function.arguments),
        }) + event('tool_call_result', { tool_id: call.id, status: 'success', result }),
      )
      history.push({ role: 'tool', tool_call_id: call.id, content: result })
    }
  }
  response.end(event('done', {}))
}

/** One step of the model, its text written through to the client. */
function callModel(history: readonly Message[], response: ServerResponse): Promise<Message> {
  return new Promise((resolve, reject) => {
    const post = request(endpoint, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json' },
    })
    post.on('error', reject)
    post.on('response', (answer) => {
      let rest = ''
      let content = ''
      const calls: ToolCall[] = []
      answer.setEncoding('utf8').on('data', (piece: string) => {
        const frames = (rest + piece).split('\n\n')
        rest = frames.pop() ?? ''
        let out = ''
        for (const frame of frames) {
          if (frame === 'data: [DONE]') continue
          const delta = (JSON.parse(frame.slice(6)) as Chunk).choices[0]?.delta
          if (delta?.content !== undefined && delta.content !== '') {
            content += delta.content
            out += event('text_delta', { content: delta.content })
          }
          for (const part of delta?.tool_calls ?? []) {
            const call = (calls[part.index] ??= {
              id: part.id ?? '',
              type: 'function',
              function: { name: part.function.name ?? '', arguments: '' },
            })
            call.function.arguments += part.function.arguments ?? ''
          }
        }
        if (out !== '') response.write(out)
      })
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) }),
      )
    })
    post.end(
      JSON.stringify({
        model: 'bench',
        stream: true,
        stream_options: { include_usage: true },
        messages: [system, ...history],
        tools,
      }),
    )
  })
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

answerProbes()
server.listen(Number(values.port), '127.0.0.1', () => announce(Number(values.port)))
