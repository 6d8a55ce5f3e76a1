import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import {
  EventParser,
  messagesOf,
  randomKey,
  Transcript,
  turnItems,
  type ChatMessage,
  type ClientEvent,
  type Item,
} from '@amodal/sdk/client'

type WireEvent = Omit<ClientEvent, 'frame'> & { readonly type: string }

export interface ChatStreamInput {
  readonly text: string
  /** What the last `init` named; `undefined` before the first one. */
  readonly session: string | undefined
  readonly signal: AbortSignal
}

/** Sends a message somewhere. @returns a response with an event stream, or its events */
export type StreamFn = (
  input: ChatStreamInput,
) => Response | AsyncIterable<WireEvent> | Promise<Response | AsyncIterable<WireEvent>>

export interface ChatStreamOptions {
  readonly streamFn: StreamFn
  /** Called with each event as it comes. */
  readonly onEvent?: (event: WireEvent) => void
}

export interface ChatStream {
  readonly session: string | undefined
  readonly messages: readonly ChatMessage[]
  readonly items: readonly Item[]
  readonly status: 'idle' | 'running'
  readonly error: Error | undefined
  /** Settles with the turn; what went wrong is in `error`. */
  readonly send: (text: string) => Promise<void>
  /** Ends the reading. What runs on the server goes on. */
  readonly stop: () => void
  readonly reset: () => void
}

interface StreamedTurn {
  readonly key: string
  readonly text: string
  readonly items: readonly Item[]
}

/**
 * A conversation over an endpoint of your own that sends events of an agent, like `/config/chat`.
 * Resuming and history are the endpoint's: with an agent's server, `useChat` has both.
 *
 * @example
 * const { messages, send } = useChatStream({
 *   streamFn: ({ text, session, signal }) =>
 *     fetch('/my/chat', { method: 'POST', body: JSON.stringify({ text, session }), signal }),
 * })
 */
export function useChatStream(options: ChatStreamOptions): ChatStream {
  const [turns, setTurns] = useState<readonly StreamedTurn[]>([])
  const [session, setSession] = useState<string>()
  const [error, setError] = useState<Error>()
  const [running, setRunning] = useState<AbortController>()
  const latest = useRef({ ...options, session })
  useEffect(() => {
    latest.current = { ...options, session }
  })
  useEffect(() => () => running?.abort(), [running])
  const send = useCallback(async (text: string): Promise<void> => {
    const leave = new AbortController()
    const { signal } = leave
    const key = randomKey()
    const transcript = new Transcript()
    setError(undefined)
    setRunning(leave)
    setTurns((now) => [...now, { key, text, items: [] }])
    try {
      const { streamFn, session: known } = latest.current
      const source = await streamFn({ text, session: known, signal })
      for await (const event of eventsOf(source)) {
        if (signal.aborted) return
        transcript.push(event)
        if (event.type === 'init') setSession(event.session_id)
        latest.current.onEvent?.(event)
        const items = turnItems(key, transcript.events)
        setTurns((now) => now.map((turn) => (turn.key === key ? { ...turn, items } : turn)))
      }
    } catch (cause) {
      if (!signal.aborted) setError(cause instanceof Error ? cause : new Error(String(cause)))
    } finally {
      setRunning((now) => (now === leave ? undefined : now))
    }
  }, [])
  const items = useMemo(
    () =>
      turns.flatMap(({ key, text, items: own }): readonly Item[] => [
        { kind: 'user', key: `${key}-user`, text },
        ...own,
      ]),
    [turns],
  )
  return {
    session,
    messages: useMemo(() => messagesOf(items), [items]),
    items,
    status: running ? 'running' : 'idle',
    error,
    send,
    stop: () => running?.abort(),
    reset() {
      running?.abort()
      setTurns([])
      setSession(undefined)
      setError(undefined)
    },
  }
}

async function* eventsOf(
  source: Response | AsyncIterable<WireEvent>,
): AsyncGenerator<ClientEvent, void, undefined> {
  let n = 0
  const withFrame = (event: WireEvent): ClientEvent =>
    // the endpoint's word; frames order what a `reset` takes back
    ({ frame: { seq: 0, fencingToken: 0, attempt: 0, n: ++n }, ...event }) as ClientEvent
  if (!(source instanceof Response)) {
    for await (const event of source) yield withFrame(event)
    return
  }
  if (!source.ok) throw new Error(`AMODAL_STREAM_REFUSED: the endpoint answered ${source.status}`)
  if (!source.body) return
  const parser = new EventParser()
  const reader = source.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    for (const { data } of parser.push(value)) yield withFrame(JSON.parse(data) as WireEvent)
  }
}
