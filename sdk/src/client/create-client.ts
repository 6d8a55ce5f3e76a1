import { defined } from '../defined.ts'
import type { Client, SessionQuery } from './client.ts'
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts'
import { randomKey } from './random-key.ts'
import { runsOver } from './runs.ts'
import { sessionMethods, type SessionClient } from './session-client.ts'
import { serverEvents } from './server-events.ts'
import { stateStream } from './state-stream.ts'
import { storesOver } from './stores.ts'
import { tasksOver } from './tasks.ts'
import { Transcript } from './transcript.ts'
import type { ResumeOptions } from './turn-stream.ts'
import type { ClientEvent, Opinion, SessionList } from './types.ts'
import { uploadFrom } from './upload-file.ts'

export interface ClientOptions extends HttpTransportOptions, ResumeOptions {}

/**
 * Makes a client for browsers, Node and other hosts with `fetch`.
 *
 * @example
 * import { createClient } from '@amodal/sdk/client'
 *
 * const client = createClient({ url: 'http://127.0.0.1:3847' })
 * let session = ''
 * for await (const event of client.send({ text: 'What can you do?' })) {
 *   if (event.type === 'init') session = event.session_id
 *   if (event.type === 'text_delta') process.stdout.write(event.content)
 *   if (event.type === 'confirmation_required')
 *     await client.answer(session, { id: event.id, approved: true })
 * }
 */
export function createClient(options: ClientOptions): Client {
  const transport = new HttpTransport(options)
  const at = (session: string, rest = ''): string =>
    `/sessions/${encodeURIComponent(session)}${rest}`
  const sessions: SessionClient = sessionMethods(transport, options)

  return {
    stores: storesOver(transport),
    tasks: tasksOver(transport, options),
    runs: runsOver(transport, options),
    ...sessions,
    async ask(message) {
      const { events, text } = await untilAsked(sessions.send(message))
      const done = events.findLast((event) => event.type === 'done')
      const id = events.find((event) => event.type === 'init')?.session_id ?? message.session ?? ''
      const pending = done
        ? []
        : (await sessions.session(id, { signal: message.signal })).pending_input
      return { session: id, text, events, reason: done?.reason, usage: done?.usage, pending }
    },
    sessions: ({ signal, ...page } = {}) =>
      transport.json(`/sessions?${queryOf(page)}`, { signal }),
    ...editMethods(transport, at),
    ...stateMethods(transport, at, options),
    ...fileMethods(transport),
    ...feedbackMethods(transport),
    changes: (request = {}, onOpen) => serverEvents(transport, request, onOpen),
    async attention({ signal } = {}) {
      const page = await transport.json<SessionList>('/sessions?attention=true', { signal })
      return page.sessions
    },
  }
}

const editMethods = (
  transport: HttpTransport,
  at: (session: string, rest?: string) => string,
): Pick<Client, 'create' | 'clear' | 'fork' | 'update' | 'remove'> => ({
  create: ({ signal, key = randomKey(), ...body } = {}) =>
    transport.json('/sessions', {
      method: 'POST',
      body,
      headers: { 'idempotency-key': key },
      signal,
    }),
  async clear(id, { signal } = {}) {
    await transport.json(at(id, '/clear'), { method: 'POST', signal })
  },
  fork: (id, seq, { signal } = {}) =>
    transport.json(at(id, '/fork'), { method: 'POST', body: { at: seq }, signal }),
  update: (id, change, { signal } = {}) =>
    transport.json(at(id), { method: 'PATCH', body: change, signal }),
  async remove(id, { signal } = {}) {
    await transport.json(at(id), { method: 'DELETE', signal })
  },
})

const fileMethods = (
  transport: HttpTransport,
): Pick<Client, 'uploadFrom' | 'download' | 'deleteFile'> => ({
  uploadFrom: (url, options) => uploadFrom(transport, url, options),
  async download(id, { signal } = {}) {
    const response = await transport.open(`/assets/${encodeURIComponent(id)}`, { signal })
    return response.blob()
  },
  async deleteFile(id, { signal } = {}) {
    await transport.open(`/assets/${encodeURIComponent(id)}`, { method: 'DELETE', signal })
  },
})

const feedbackMethods = (
  transport: HttpTransport,
): Pick<Client, 'feedback' | 'feedbackOffer' | 'opinions'> => ({
  feedback: ({ session, message, ...opinion }, { signal } = {}) =>
    transport.json('/api/feedback', {
      method: 'POST',
      body: { session_id: session, message_id: message, ...opinion },
      signal,
    }),
  feedbackOffer: ({ signal } = {}) => transport.json('/api/feedback/categories', { signal }),
  async opinions(session, { signal } = {}) {
    const query = new URLSearchParams({ session_id: session, mine: 'true', limit: '200' })
    const { feedback } = await transport.json<{ readonly feedback: readonly Opinion[] }>(
      `/api/feedback?${query.toString()}`,
      { signal },
    )
    return feedback
  },
})

const stateMethods = (
  transport: HttpTransport,
  at: (session: string, rest: string) => string,
  options: ResumeOptions,
): Pick<Client, 'state' | 'changeState' | 'followState'> => ({
  state: (id, { signal } = {}) => transport.json(at(id, '/state'), { signal }),
  changeState: (id, changes, version, { signal } = {}) =>
    transport.json(at(id, '/state'), {
      method: 'PATCH',
      body: changes,
      headers: { 'if-match': version === '*' ? version : `"${version}"` },
      signal,
    }),
  followState: (id, { signal } = {}) =>
    stateStream(transport, at(id, '/state/stream'), signal, options),
})

/** What a turn says until it is over, or waits for a person. */
async function untilAsked(events: AsyncIterable<ClientEvent>): Promise<Transcript> {
  const transcript = new Transcript()
  for await (const event of events) {
    transcript.push(event)
    if (ASKS.has(event.type)) break
  }
  return transcript
}

const ASKS: ReadonlySet<string> = new Set(['confirmation_required', 'ask_user', 'ask_choice'])

function queryOf(page: SessionQuery): string {
  const { limit, cursor, waiting, tags, kind, q, status, model, from, to } = page
  const query = defined({
    ...{ q, status, model, from, to },
    limit: limit?.toString(),
    cursor,
    waiting: waiting?.toString(),
    tags: tags?.join(','),
    kind,
  })
  return new URLSearchParams(query).toString()
}
