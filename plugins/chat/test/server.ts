import { createConnection } from 'node:net'
import { Agent, explain, Kernel, unwrap, use, type Plugin } from '@amodal/sdk'
import { http } from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { chat } from '../src/index.ts'
import { SmallAgent } from './small-agent.ts'

export interface Served extends AsyncDisposable {
  readonly agent: SmallAgent
  readonly kernel: Kernel
  readonly url: string
  readonly port: number
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>
  get(path: string, init?: RequestInit): Promise<Response>
}

/** The chat routes on a real server, before an agent in memory. */
export async function served(
  config: Readonly<Record<string, unknown>> = {},
  server: Readonly<Record<string, unknown>> = {},
  plugins: readonly Plugin<unknown>[] = [],
): Promise<Served> {
  const agent = new SmallAgent()
  const kernel = unwrap(
    await Kernel.create(
      [
        use(http, { port: 0, ...server }),
        use(chat, config),
        ...plugins.map((plugin) => use(plugin)),
      ],
      { services: [[Agent, agent]] },
    ),
    explain,
  )
  const address = kernel.scope.get(HttpApp).address()
  if (!address) throw new Error('the server does not listen')
  const url = `http://127.0.0.1:${address.port}`
  return {
    agent,
    kernel,
    url,
    port: address.port,
    get: (path, init) => fetch(url + path, init),
    post: (path, body, headers = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    [Symbol.asyncDispose]: async () => {
      await kernel.close()
    },
  }
}

export interface SseFrame {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: Readonly<Record<string, unknown>>
}

/** Reads an event stream to its end as the standard says. */
export async function framesOf(response: Response): Promise<readonly SseFrame[]> {
  return (await response.text())
    .split('\n\n')
    .filter((block) => block.trim() !== '' && !block.startsWith(':'))
    .map((block) => {
      const field = (name: string): string | undefined =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2)
      return { id: field('id'), event: field('event'), data: JSON.parse(field('data') ?? 'null') }
    })
}

/**
 * Sends bytes as they are, and gives what comes back; `hung` where the other side fell silent
 * without closing.
 */
export function raw(
  port: number,
  text: string,
  silenceMs: number,
): Promise<{ readonly answer: string; readonly hung: boolean }> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write(text))
    let [answer, hung] = ['', false]
    socket.setTimeout(silenceMs, () => {
      hung = true
      socket.destroy()
    })
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve({ answer, hung }))
  })
}

/** The error in the body of a response. */
export const errorOf = async (response: Response): Promise<{ code: string; message: string }> =>
  (await response.json()).error
