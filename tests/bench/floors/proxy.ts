/**
 * What no server that streams a model can go below: it asks the model and pipes the model's bytes
 * to the client, unread, between an `init` and a `done` event. No history, no tools.
 */

import { Agent, createServer, request } from 'node:http'
import { parseArgs } from 'node:util'

import { announce, answerProbes } from '../probe.ts'

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, 'model-url': { type: 'string', default: '' } },
})

const endpoint = `${values['model-url']}/chat/completions`
const agent = new Agent({ keepAlive: true })

const server = createServer((incoming, response) => {
  let body = ''
  incoming.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
  incoming.on('end', () => {
    const { message } = JSON.parse(body) as { message: string }
    const post = request(endpoint, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json' },
    })
    post.on('error', () => response.destroy())
    post.on('response', (answer) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`event: init\ndata: {"type":"init","session_id":"${crypto.randomUUID()}"}\n\n`)
      answer.pipe(response, { end: false })
      answer.on('end', () => response.end('event: done\ndata: {"type":"done"}\n\n'))
    })
    post.end(
      JSON.stringify({
        model: 'bench',
        stream: true,
        messages: [{ role: 'user', content: message }],
      }),
    )
  })
})

answerProbes()
server.listen(Number(values.port), '127.0.0.1', () => announce(Number(values.port)))
