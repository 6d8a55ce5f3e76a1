import { LOCAL_TENANT, principalId, sessionId, type Failure, type Result } from '@amodal/kernel'
import type { AgentEvent } from '../../agent-event.ts'
import type { Agent } from '../../ports/agent.ts'
import { createClient } from '../../client/index.ts'

/** The outcome of one turn. */
export interface Turn {
  readonly session: string
  readonly text: string
  readonly events: readonly AgentEvent[]
  /** `undefined`: it waits for a person. */
  readonly reason: string | undefined
  readonly pending: readonly { readonly id: string }[]
}

/** An entry point of an agent. Refusals are thrown as errors with a `code`. */
export interface EntryPoint {
  ask(text: string, session?: string, key?: string): Promise<Turn>
  /** As they come; leaving early cancels nothing. */
  stream(text: string, session?: string): AsyncIterable<AgentEvent>
  /** The run in progress, from its beginning. */
  follow(session: string): AsyncIterable<AgentEvent>
  answer(session: string, id: string, response: string): Promise<void>
  cancel(session: string): Promise<boolean>
  clear(session: string): Promise<void>
  /** @returns the new session */
  fork(session: string): Promise<string>
  open(session: string): Promise<{ readonly title: string; readonly pending: number }>
  list(): Promise<readonly string[]>
  remove(session: string): Promise<void>
}

class Refused extends Error {
  readonly code: string
  constructor({ code, message }: Failure) {
    super(message)
    this.code = code
  }
}

function got<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value
  throw new Refused(result.error)
}

/** In this process. */
export function agentEntryPoint(agent: Agent): EntryPoint {
  const client = agent.as({ tenant: LOCAL_TENANT, principal: principalId('local') })
  const within = (session: string | undefined) =>
    session === undefined ? {} : { session: sessionId(session) }
  return {
    ask: async (text, session, key) =>
      got(await client.ask({ text, ...within(session), ...(key !== undefined && { key }) })),
    async *stream(text, session) {
      for await (const { event } of got(await client.send({ text, ...within(session) })).frames)
        yield event
    },
    async *follow(session) {
      for await (const { event } of got(await client.follow(sessionId(session), undefined)))
        yield event
    },
    async answer(session, id, response) {
      const ask = got(await client.session(sessionId(session))).asks.find((one) => one.id === id)
      if (ask) got(await client.answer(sessionId(session), [{ id: ask.id, answer: { response } }]))
      else throw new Refused({ code: 'ASK_NOT_FOUND', message: `the question "${id}" is not open` })
    },
    cancel: async (session) => got(await client.cancel(sessionId(session))).active,
    clear: async (session) => got(await client.clear(sessionId(session))),
    fork: async (session) => got(await client.fork(sessionId(session), undefined)).session,
    async open(session) {
      const { row, asks } = got(await client.session(sessionId(session)))
      return { title: row.title, pending: asks.length }
    },
    list: async () => got(await client.sessions({ limit: 100 })).rows.map(({ session }) => session),
    remove: async (session) => got(await client.remove(sessionId(session))),
  }
}

/** Over HTTP. */
export function httpEntryPoint(url: string, credential: string | undefined): EntryPoint {
  const client = createClient({ url, tries: 1, ...(credential !== undefined && { credential }) })
  return {
    ask: (text, session, key) => client.ask({ text, session, ...(key !== undefined && { key }) }),
    stream: (text, session) => client.send({ text, session }),
    follow: (session) => client.follow(session),
    async answer(session, id, response) {
      await client.answer(session, { id, response })
    },
    cancel: async (session) => (await client.cancel(session)).active,
    clear: (session) => client.clear(session),
    fork: async (session) => (await client.fork(session)).id,
    async open(session) {
      const { title, pending_input } = await client.session(session)
      return { title, pending: pending_input.length }
    },
    list: async () => (await client.sessions({ limit: 100 })).sessions.map(({ id }) => id),
    remove: (session) => client.remove(session),
  }
}
