import {
  err,
  failure,
  isId,
  ok,
  type Agent,
  type AgentClient,
  type AskAnswer,
  type Caller,
  type Failure,
  type RequestLimiter,
  type Result,
  type RouteContext,
  type SendRequest,
  type SessionId,
} from '@amodal/sdk'
import { publicHeaders, turnStream, type StreamedTurn } from '@amodal/sdk/wire'
import { failed, rateLimited, readJson } from '@amodal/plugin-http/tokens'
import { answersIn, answersOf, callsIn } from './answers.ts'
import { chatRequest, keyOf, type ChatRequest } from './chat-request.ts'
import { findChat, readHistory, rewound, type ChatSession } from './chat-session.ts'
import { chunkText, DONE, STREAM_HEADERS, type Chunk } from './chunk.ts'
import { uiMessages } from './history.ts'
import { Projection, type ProjectionStart } from './projection.ts'
import { replyId } from './shown.ts'
import { readMessage, type MessageLimits, type Said, type UiMessage } from './user-message.ts'

interface Asked {
  readonly client: AgentClient
  readonly caller: Caller
  readonly chat: ChatSession
}
interface Named {
  readonly chat?: string | null | undefined
  readonly session?: string | null | undefined
}
interface Posted extends Asked {
  readonly body: ChatRequest
  readonly request: Request
  readonly last: UiMessage
  /** The assistant's message that answers stand in. */
  readonly reply: UiMessage | undefined
}

/** What `useChat` asks for. */
export class Chats {
  readonly #agent: Agent
  readonly #limiter: RequestLimiter | undefined
  readonly #limits: MessageLimits

  constructor(agent: Agent, limiter: RequestLimiter | undefined, limits: MessageLimits) {
    this.#agent = agent
    this.#limiter = limiter
    this.#limits = limits
  }

  /** A message, or answers to what a run waits with. Only what is new is sent on. */
  async post(context: RouteContext, request: Request): Promise<Response> {
    const body = await readJson(request, chatRequest)
    if (!body.ok) return failed(body.error)
    const { id, session_id: session, messages, scope_id: scope } = body.value
    if (!id && !session) return failed(failure('VALIDATION_ERROR', 'id: names the chat'))
    const asked = await this.#find(context, { chat: id, session }, scope)
    if (!asked.ok) return failed(asked.error)
    const last = messages.at(-1)
    if (!last || last.role === 'system')
      return failed(
        failure('VALIDATION_ERROR', 'messages: the last one is a person’s or an assistant’s'),
      )
    const reply = messages.findLast(({ role }) => role === 'assistant')
    const posted = { ...asked.value, body: body.value, request, last, reply }
    return last.role === 'user' ? this.#said(posted) : this.#answered(posted)
  }

  /** The run in progress from its beginning, also where it waits; `204` where none is. */
  async resume(context: RouteContext, id: string): Promise<Response> {
    const asked = await this.#find(context, { chat: id })
    if (!asked.ok) return failed(asked.error)
    const { client, chat } = asked.value
    const { session, view } = chat
    if (!view) return new Response(null, { status: 204 })
    const history = await readHistory(client, session)
    if (!history.ok) return failed(history.error)
    const { queued, state, entries } = history.value
    const [next] = queued
    if (state === 'idle' && !next) return new Response(null, { status: 204 })
    const frames = await client.follow(session, undefined)
    if (!frames.ok) return failed(frames.error)
    const begun = entries.findLast((entry) => entry.kind === 'user_message')
    const key = state === 'idle' ? next?.key : begun?.key
    const start = { session, messageId: replyId(key ?? session) }
    return stream({ client, session, frames: frames.value }, start)
  }

  /** Ends the run in progress. A client that only stops reading ends nothing. */
  async stop(context: RouteContext, id: string): Promise<Response> {
    const asked = await this.#find(context, { chat: id })
    if (!asked.ok) return failed(asked.error)
    const { client, chat } = asked.value
    if (!chat.view) return Response.json({ ok: true, active: false })
    const stopped = await client.cancel(chat.session)
    return stopped.ok
      ? Response.json({ ok: true, active: stopped.value.active })
      : failed(stopped.error)
  }

  /** The session's messages, for a page that is loaded again. */
  async messages(context: RouteContext, id: string): Promise<Response> {
    const asked = await this.#find(context, { chat: id })
    if (!asked.ok) return failed(asked.error)
    const { client, chat } = asked.value
    if (!chat.view) return Response.json({ id, session_id: null, messages: [] })
    const history = await readHistory(client, chat.session)
    if (!history.ok) return failed(history.error)
    const { entries, queued } = history.value
    return Response.json({
      id,
      session_id: chat.session,
      messages: uiMessages(chat.session, entries, queued),
    })
  }

  /** A message of the person; what was answered before it is given first. */
  async #said(posted: Posted): Promise<Response> {
    const { client, chat, body, last, request } = posted
    const said = readMessage(last, this.#limits)
    if (!said.ok) return failed(said.error)
    const key = keyOf(request.headers, last.id)
    if (!key.ok) return failed(key.error)
    const given = answersTo(posted, said.value)
    if (!given.ok) return failed(given.error)
    if (said.value.text.trim() === '' && said.value.assets.length === 0)
      return this.#resumed(posted, given.value, replyId(last.id ?? chat.session))
    const isAgain = body.trigger === 'regenerate-message' || body.messageId === last.id
    if (given.value.length > 0 && !isAgain) {
      const answered = await client.answer(chat.session, given.value)
      if (!answered.ok) return failed(answered.error)
    }
    const place = isAgain && chat.view && last.id ? await rewound(client, chat, last.id) : ok(chat)
    return place.ok ? this.#send(posted, said.value, key.value, place.value) : failed(place.error)
  }

  #send(
    { client, caller, body, request }: Posted,
    said: Said,
    key: string | undefined,
    { session, view }: ChatSession,
  ): Promise<Response> {
    return rateLimited(this.#limiter, caller, async () => {
      const message: SendRequest = {
        session,
        ...(view ? {} : { create: true, headers: publicHeaders(request.headers) }),
        ...messageOf(body, said),
        ...(key !== undefined && { key }),
      }
      // Without the request's signal: a client that disconnects does not cancel the message.
      const sent = await client.send(message)
      if (!sent.ok) return failed(sent.error)
      const { session: place, frames, key: known } = sent.value
      const start = { session: place, messageId: replyId(known) }
      const queued = sent.value.isBehindQuestion && (await isQueued(client, place, known))
      return stream({ client, session: place, frames, ...(queued && { open: 'all' }) }, start)
    })
  }

  /** The client goes on with the assistant's message: its parts answer what the run waits with. */
  async #answered(posted: Posted): Promise<Response> {
    const answers = answersIn(posted.last, posted.chat.view?.asks ?? [])
    if (answers.length === 0)
      return failed(
        failure(
          'ASK_NOT_FOUND',
          'messages: the last one answers no open question; it was answered before, or its run is over. Resume the stream, or send a message',
        ),
      )
    return this.#resumed(posted, answers, posted.last.id ?? replyId(posted.chat.session))
  }

  /**
   * Gives answers, and streams what comes of them: the rest of the message that asked, or a message
   * of its own where a message of the person answers.
   */
  async #resumed(
    { client, last, chat: { session, view } }: Posted,
    answers: readonly AskAnswer[],
    messageId: string,
  ): Promise<Response> {
    if (!view || answers.length === 0)
      return failed(failure('ASK_NOT_FOUND', 'messages: nothing is asked in this chat'))
    const from = { seq: view.row.head, fencingToken: 0, attempt: 0, n: 0 }
    // Before the answers, so that nothing of what follows is missed.
    const frames = await client.follow(session, from)
    if (!frames.ok) return failed(frames.error)
    const settled = await client.answer(session, answers)
    if (!settled.ok) {
      frames.value.close()
      return failed(settled.error)
    }
    return stream(
      {
        client,
        session,
        frames: frames.value,
        open: view.asks.map(({ id }) => id),
        answered: answers.map(({ id }) => id),
      },
      { session, messageId, ...(last.role === 'assistant' && { continues: callsIn(last) }) },
    )
  }

  async #find(
    context: RouteContext,
    { chat, session }: Named,
    scope?: string | null,
  ): Promise<Result<Asked, Failure>> {
    const caller = context.caller(scope)
    if (!caller.ok) return caller
    if (session && !isId(session)) return err(failure('SESSION_NOT_FOUND', 'no id'))
    const client = this.#agent.as(caller.value)
    const found = await findChat(client, caller.value, {
      ...(chat && { chat }),
      ...(session && { session }),
    })
    return found.ok ? ok({ client, caller: caller.value, chat: found.value }) : found
  }
}

/** Answers in the assistant's message before, and those that the person's message brings. */
function answersTo(
  { reply, chat: { view } }: Posted,
  said: Said,
): Result<readonly AskAnswer[], Failure> {
  const asks = view?.asks ?? []
  const brought = answersOf(said.answers, asks)
  if (!brought.ok) return brought
  const ids = new Set(brought.value.map(({ id }) => id))
  return ok([...answersIn(reply, asks).filter(({ id }) => !ids.has(id)), ...brought.value])
}

function messageOf(body: ChatRequest, { text, assets }: Said): SendRequest {
  const { context, max_turns: maxTurns, max_session_tokens: maxSessionTokens, model } = body
  return {
    text,
    ...(assets.length > 0 && { assets }),
    ...(context && { context }),
    limits: {
      ...(maxTurns && { maxTurns }),
      ...(maxSessionTokens && { maxSessionTokens }),
      ...(model && { model }),
    },
  }
}

const WAITS: Chunk = {
  type: 'data-warning',
  data: {
    code: 'RUN_ACTIVE',
    message:
      'a question of this session is open: this message is kept, and is answered once that is settled',
  },
}

function stream(turn: StreamedTurn, start: ProjectionStart): Response {
  const projection = new Projection(start)
  const warnings = turn.open === 'all' ? [WAITS] : []
  return turnStream(
    turn,
    {
      begin: () => chunkText([...projection.begin(), ...warnings]),
      frame: (frame) => chunkText(projection.frame(frame)),
      parked: (asks) => chunkText(projection.parked(asks)) + DONE,
      end: (cut) => (cut ? chunkText(projection.cut()) : '') + DONE,
    },
    { headers: STREAM_HEADERS },
  )
}

/** Whether the turn of a message has not begun: one that is sent again may wait itself. */
async function isQueued(client: AgentClient, session: SessionId, key: string): Promise<boolean> {
  const queued = await client.queued(session)
  return queued.ok && queued.value.some((message) => message.key === key)
}
