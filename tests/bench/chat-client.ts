/**
 * One person at a chat: posts a message, reads the event stream to its end, and judges the turn.
 */

import { Agent, request } from 'node:http'

import { sentinel } from './vocabulary.ts'

export type Turn =
  | { readonly ok: true; readonly milliseconds: number }
  | { readonly ok: false; readonly problem: string }

export interface ChatClientOptions {
  /** Address of the chat endpoint. */
  readonly url: string
  /** Milliseconds after which a turn counts as failed. */
  readonly deadline: number
  /** Goes on with this session instead of opening one. */
  readonly session?: string | undefined
}

export class ChatClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #options: ChatClientOptions
  #session: string | undefined

  constructor(options: ChatClientOptions) {
    this.#options = options
    this.#session = options.session
  }

  /** The session of the newest turn. */
  get session(): string | undefined {
    return this.#session
  }

  /** Leaves the session: the next turn opens another. */
  forget(): void {
    this.#session = undefined
  }

  close(): void {
    this.#agent.destroy()
  }

  /** Takes one turn. Never rejects: whatever goes wrong is the turn's result. */
  async turn(message: string): Promise<Turn> {
    const started = performance.now()
    try {
      const stream = await this.#post(JSON.stringify({ message, session_id: this.#session }))
      const problem = problemOf(stream)
      if (problem !== undefined) return { ok: false, problem: `${problem}: ${stream.slice(-400)}` }
      this.#session = sessionOf(stream)
      return { ok: true, milliseconds: performance.now() - started }
    } catch (error) {
      return { ok: false, problem: String(error) }
    }
  }

  #post(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const post = request(this.#options.url, {
        method: 'POST',
        agent: this.#agent,
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          'content-length': Buffer.byteLength(body),
        },
        signal: AbortSignal.timeout(this.#options.deadline),
      })
      post.on('error', reject)
      post.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('error', reject)
        response.on('end', () => {
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(`status ${response.statusCode}: ${text.slice(0, 400)}`))
        })
      })
      post.end(body)
    })
  }
}

/** What is wrong with a finished stream; undefined where nothing is. */
function problemOf(stream: string): string | undefined {
  const dones = stream.split('event: done\n').length - 1
  if (stream.includes('event: error\n')) return 'an error event'
  if (dones !== 1) return `${dones} done events`
  if (!stream.includes(sentinel)) return `no ${sentinel}`
  return undefined
}

function sessionOf(stream: string): string | undefined {
  return /"session_id":"([^"]+)"/.exec(stream)?.[1]
}
