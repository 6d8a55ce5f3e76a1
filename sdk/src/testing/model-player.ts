/** Plays one reply into one response, at the reply's own pace and with the reply's own faults. */

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

import { frame, type FrameCache } from './model-frames.ts'
import type { Answer, Ending, Reply, ScriptedError } from './model-reply.ts'
import type { FrameContext, Frames, ModelProtocol } from './protocols/protocol.ts'

export interface Exchange {
  readonly response: ServerResponse
  readonly protocol: ModelProtocol
  readonly streaming: boolean
  /** Aborts once the connection is closed, by whichever side. */
  readonly signal: AbortSignal
  readonly cache: FrameCache
  readonly context: FrameContext
  /** Destroys the socket in the server's own name. */
  readonly cut: () => void
}

/** Resolves when the reply is played, or as soon as the client has left. */
export async function playReply(reply: Reply, exchange: Exchange): Promise<void> {
  try {
    switch (reply.kind) {
      case 'answer':
        return await playAnswer(reply, exchange)
      case 'http-error':
        return refuse(
          exchange.response,
          exchange.protocol,
          reply.status,
          reply.error,
          reply.retryAfter,
        )
      case 'silence':
        return
      case 'raw':
        openStream(exchange)
        exchange.response.end(reply.payloads.map(frame).join(''))
        return
      case 'body':
        exchange.response.writeHead(200, { 'content-type': reply.contentType })
        exchange.response.write(reply.text)
        if (!reply.open) exchange.response.end()
        return
      default:
        return reply satisfies never
    }
  } catch (error) {
    if (!exchange.signal.aborted) throw error
  }
}

/** Sends an error in the protocol's form, or breaks the response off where it has already begun. */
export function refuse(
  response: ServerResponse,
  protocol: ModelProtocol,
  status: number,
  error: ScriptedError,
  retryAfter?: number | string,
): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  })
  response.end(JSON.stringify(protocol.refusal(error, status)))
}

async function playAnswer(answer: Answer, exchange: Exchange): Promise<void> {
  const { response, context, protocol } = exchange
  if (answer.delay !== undefined) await pause(answer.delay, exchange)
  if (!exchange.streaming || answer.unstreamed === true) return playWhole(answer, exchange)

  openStream(exchange)
  const encoding = encodingOf(exchange)
  if (answer.lineEnd !== undefined) {
    response.end(exchange.cache.stream(answer, context, protocol).replaceAll('\n', answer.lineEnd))
    return
  }
  if (answer.pace === undefined && answer.ending === undefined) {
    response.end(exchange.cache.stream(answer, context, protocol), encoding)
    return
  }
  const frames = protocol.stream(answer, context)
  if (answer.ending === undefined) return playToTheEnd(frames, answer.pace, exchange)
  return playUntil(answer.ending, frames, answer.pace, exchange)
}

/**
 * An answer that was not asked for as a stream; an ending shows as far as a single body can show
 * it.
 */
function playWhole(answer: Answer, { response, context, cut, protocol }: Exchange): void {
  const body = protocol.body(answer, context)
  const send = (text: string): void => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(text)
  }
  switch (answer.ending?.kind) {
    case undefined:
      return send(body)
    case 'lingers':
      return send(body)
    case 'stall':
    case 'endless':
      return
    case 'cut':
      return cut()
    case 'truncated':
    case 'broken-json':
      return send(body.slice(0, body.length / 2))
    case 'error':
      return refuse(response, protocol, 500, answer.ending.error)
    default:
      return answer.ending satisfies undefined
  }
}

async function playToTheEnd(
  frames: Frames,
  pace: number | undefined,
  exchange: Exchange,
): Promise<void> {
  await write(frames.prologue, exchange)
  await playDeltas(frames.deltas, pace, exchange)
  exchange.response.end(frames.epilogue, encodingOf(exchange))
}

async function playUntil(
  ending: Ending,
  frames: Frames,
  pace: number | undefined,
  exchange: Exchange,
): Promise<void> {
  const { response, protocol } = exchange
  await write(frames.prologue, exchange)
  if (ending.kind === 'endless') {
    while (frames.deltas.length > 0) {
      await playDeltas(frames.deltas, pace, exchange)
      if (pace !== undefined) await pause(pace, exchange)
    }
    return
  }
  if (ending.kind === 'lingers') {
    await playDeltas(frames.deltas, pace, exchange)
    const late = ending.late
      ? protocol.stream(ending.late, {
          ...exchange.context,
          nonce: `${exchange.context.nonce}late`,
        })
      : undefined
    return write(frames.epilogue + (late ? late.deltas.join('') + late.epilogue : ''), exchange)
  }
  await playDeltas(frames.deltas.slice(0, ending.after), pace, exchange)
  switch (ending.kind) {
    case 'stall':
      return
    case 'cut':
      await nextTurn() // what was written this turn has to reach the socket first
      return exchange.cut()
    case 'truncated':
      response.end()
      return
    case 'error':
      response.end(protocol.failure(ending.error), encodingOf(exchange))
      return
    case 'broken-json':
      await write(protocol.broken, exchange)
      await playDeltas(frames.deltas.slice(ending.after), pace, exchange)
      response.end(frames.epilogue, encodingOf(exchange))
      return
    default:
      return ending satisfies never
  }
}

async function playDeltas(
  deltas: readonly string[],
  pace: number | undefined,
  exchange: Exchange,
): Promise<void> {
  for (const [index, delta] of deltas.entries()) {
    if (index > 0 && pace !== undefined) await pause(pace, exchange)
    await write(delta, exchange)
  }
}

/** Writes with respect for back-pressure; rejects once the client has left. */
async function write(text: string, exchange: Exchange): Promise<void> {
  const { response, signal } = exchange
  signal.throwIfAborted()
  if (!response.write(text, encodingOf(exchange))) await once(response, 'drain', { signal })
}

async function pause(milliseconds: number, { signal }: Exchange): Promise<void> {
  await sleep(milliseconds, undefined, { signal, ref: false })
}

const encodingOf = ({ protocol }: Exchange): BufferEncoding => (protocol.binary ? 'latin1' : 'utf8')

function openStream({ response, protocol }: Exchange): void {
  response.writeHead(200, {
    'content-type': protocol.binary?.contentType ?? 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  })
}
