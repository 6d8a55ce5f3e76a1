import {
  sessionId,
  type AgentEvent,
  type AgentClient,
  type Failure,
  type FrameCursor,
  type PendingAsk,
  type Result,
  onAbort,
} from '@amodal/sdk'
import { ClientError, type Client, type AnswerInput } from '@amodal/sdk/client'
import { answerRequest, toAnswers } from '../answer-request.ts'

/** A resumed session. */
export interface Opened {
  readonly title: string
  /** The last message. */
  readonly last: string | undefined
  readonly waits: boolean
}

/** A conversation with an agent, in this process or on a server. Throws `ClientError`. */
export interface Conversation {
  send(text: string, session: string | undefined): AsyncIterable<AgentEvent>
  /** The run in progress, from its beginning. */
  follow(session: string): AsyncIterable<AgentEvent>
  answer(session: string, answer: AnswerInput): Promise<void>
  clear(session: string): Promise<void>
  /** The sessions that were used last, the newest first. */
  recent(limit: number): Promise<readonly { readonly id: string; readonly title: string }[]>
  open(session: string): Promise<Opened>
}

export const remote = (client: Client, signal: AbortSignal): Conversation => ({
  send: (text, session) => client.send({ text, session, signal }),
  follow: (session) => client.follow(session, { signal }),
  async answer(session, answer) {
    await client.answer(session, answer)
  },
  clear: (session) => client.clear(session),
  recent: async (limit) => (await client.sessions({ limit, signal })).sessions,
  async open(session) {
    const { title, messages, pending_input } = await client.session(session)
    return { title, last: messages.at(-1)?.text, waits: pending_input.length > 0 }
  },
})

export function local(client: AgentClient, signal: AbortSignal): Conversation {
  const view = async (session: string) => got(await client.session(sessionId(session)))
  return {
    async *send(text, session) {
      const { frames } = got(
        await client.send({ text, ...(session !== undefined && { session: sessionId(session) }) }),
      )
      yield* eventsOf(frames, signal)
    },
    async *follow(session) {
      yield* eventsOf(got(await client.follow(sessionId(session), undefined)), signal)
    },
    async answer(session, answer) {
      const asks: readonly PendingAsk[] = (await view(session)).asks
      const answers = got(toAnswers(answerRequest.parse(answer), asks))
      got(await client.answer(sessionId(session), answers))
    },
    async clear(session) {
      got(await client.clear(sessionId(session)))
    },
    recent: async (limit) =>
      got(await client.sessions({ limit })).rows.map(({ session, title }) => ({
        id: session,
        title,
      })),
    async open(session) {
      const { row, asks, entries } = await view(session)
      const last = entries.findLast(
        (entry) => entry.kind === 'model_reply' || entry.kind === 'user_message',
      )
      return { title: row.title, last: last?.text, waits: asks.length > 0 }
    },
  }
}

function got<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value
  throw new ClientError(result.error.code, result.error.message)
}

async function* eventsOf(
  frames: FrameCursor,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void, undefined> {
  const leave = onAbort(signal, () => frames.close())
  try {
    for await (const { event } of frames) yield event
  } finally {
    leave()
  }
}
