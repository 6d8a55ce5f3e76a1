/**
 * What the servers of the peers share: their options, and the chat protocol over the same HTTP
 * stack as `floors/bare.ts`, so that what differs is the framework.
 */

import { parseArgs } from 'node:util'

import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'

import { announce, answerProbes } from '../probe.ts'
import { type Load, packagesIn } from './packages.ts'

export interface PeerOptions {
  readonly port: number
  readonly modelUrl: string
  /** The URL of a Postgres database; empty for a peer that takes none. */
  readonly database: string
  readonly load: Load
}

/** The options of this process. */
export async function peerOptions(): Promise<PeerOptions> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      'model-url': { type: 'string', default: '' },
      database: { type: 'string', default: '' },
      packages: { type: 'string', default: '' },
    },
  })
  return {
    port: Number(values.port),
    modelUrl: values['model-url'],
    database: values.database,
    load: await packagesIn(values.packages),
  }
}

export interface PeerTurn {
  readonly message: string
  readonly session: string
  /** Aborts where the client goes away. */
  readonly signal: AbortSignal
  text(content: string): Promise<void>
  toolCall(id: string, name: string, parameters: unknown): Promise<void>
  toolResult(id: string, result: unknown): Promise<void>
}

/** Serves the chat protocol of the bench. */
export function servePeer(port: number, runTurn: (turn: PeerTurn) => Promise<void>): void {
  const app = new Hono()
  app.post('/chat/stream', async (c) => {
    const body = await c.req.json<{ message: string; session_id?: string }>()
    const session = body.session_id ?? crypto.randomUUID()
    return streamSSE(c, async (sse) => {
      const send = (type: string, fields: object = {}) =>
        sse.writeSSE({ event: type, data: JSON.stringify({ type, ...fields }) })
      const controller = new AbortController()
      sse.onAbort(() => controller.abort())

      await send('init', { session_id: session })
      try {
        await runTurn({
          message: body.message,
          session,
          signal: controller.signal,
          text: (content) => send('text_delta', { content }),
          toolCall: (id, name, parameters) =>
            send('tool_call_start', { tool_id: id, tool_name: name, parameters }),
          toolResult: (id, result) =>
            send('tool_call_result', { tool_id: id, status: 'success', result }),
        })
        await send('done')
      } catch (error) {
        await send('error', { message: String(error) })
      }
    })
  })
  answerProbes()
  serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (info) => announce(info.port))
}
