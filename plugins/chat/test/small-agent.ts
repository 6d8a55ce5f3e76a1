import {
  callId,
  err,
  failure,
  isId,
  ok,
  sessionId,
  type Agent,
  type AgentEvent,
  type AgentClient,
  type CompiledPrompt,
  type Failure,
  type FrameCursor,
  type FrameId,
  type Json,
  type PendingAsk,
  type Result,
  type SendRequest,
  type SessionId,
  type TenantId,
  type ToolList,
  type TurnResult,
} from '@amodal/sdk'
import { frameId } from '@amodal/sdk/wire'
import { questions } from './small-questions.ts'
import { SmallSession } from './small-session.ts'

type Outcome<T> = Promise<Result<T, Failure>>

const unknown = (): Result<never, Failure> =>
  err(failure('SESSION_NOT_FOUND', 'there is no such session'))

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * An agent in memory that stores sessions and queues frames. The message decides what it does:
 * `tool`, `fail`, `many N`, `slow N`, a key of `questions`; anything else is echoed word by word.
 */
export class SmallAgent implements Agent {
  readonly sessions = new Map<SessionId, SmallSession>()
  readonly requests: SendRequest[] = []
  /** Cursors that were opened and not closed. */
  open = 0
  ready = true
  problem: Failure | undefined
  #lastNumber = 0

  as({ tenant }: { readonly tenant: TenantId }): AgentClient {
    const find = (id: SessionId): SmallSession | undefined => {
      const found = isId(id) ? this.sessions.get(id) : undefined
      return found?.tenant === tenant ? found : undefined
    }
    const within = async <T>(
      id: SessionId,
      work: (session: SmallSession) => Result<T, Failure>,
    ): Outcome<T> => {
      const session = find(id)
      return session ? work(session) : unknown()
    }
    const client: AgentClient = {
      send: async (request) => {
        this.requests.push(request)
        const session =
          request.session === undefined ? this.make(tenant, request.text) : find(request.session)
        if (!session) return unknown()
        const key = request.key ?? `key-${this.#lastNumber++}`
        const known = session.keys.get(key)
        if (known && known.text !== request.text)
          return err(failure('MESSAGE_CONFLICT', 'this key belongs to another message'))
        const waits = session.ask !== undefined
        if (!known) {
          session.keys.set(key, { text: request.text, from: session.frames.length })
          if (!waits) this.begin(session, request.text, key)
          else session.tell({ type: 'init', session_id: session.id })
        }
        return ok({
          session: session.id,
          key,
          repeated: known !== undefined,
          isBehindQuestion: waits,
          frames: this.counted(session, session.keys.get(key)?.from ?? 0),
        })
      },
      change: async () => unknown(),
      ask: async (request, signal) => {
        const sent = await client.send(request, signal)
        if (!sent.ok) return sent
        const events: AgentEvent[] = []
        for await (const { event } of sent.value.frames) {
          events.push(event)
          if (event.type === 'confirmation_required' || event.type === 'ask_user') break
        }
        sent.value.frames.close()
        const done = events.find((event) => event.type === 'done')
        const pending = find(sent.value.session)?.ask
        const text = events
          .map((event) => (event.type === 'text_delta' ? event.content : ''))
          .join('')
        return ok({
          session: sent.value.session,
          text,
          events,
          reason: done?.reason,
          usage: done?.usage,
          pending: pending ? [pending] : [],
        } satisfies TurnResult)
      },
      answer: async (id, answers) =>
        within(id, (session) => {
          for (const { id: ask, answer } of answers) {
            if (session.ask?.id !== ask)
              return err(failure('ASK_NOT_FOUND', 'the question is not open'))
            const required = session.ask.schema['required']
            if (Array.isArray(required) && required.some((key) => !(String(key) in answer)))
              return err(failure('ANSWER_INVALID', `answer: ${required.join(', ')} is missing`))
          }
          for (const { answer } of answers) this.answered(session, answer)
          return ok({ settled: answers.map(({ id: ask }) => ask) })
        }),
      cancel: async (id) =>
        within(id, (session) => {
          const { active } = session
          session.cancelled = active
          return ok({ active })
        }),
      clear: async (id) =>
        within(id, (session) => {
          session.keep({ kind: 'compacted', cause: 'clear', upto: session.head, summary: '' })
          return ok(undefined)
        }),
      retry: async (id) =>
        within(id, () => err(failure('VALIDATION_ERROR', 'the session is not set aside'))),
      troubled: async () => ok([]),
      settle: async (id, call) =>
        within(id, () => err(failure('NOT_FOUND', `the call "${call}" has no unknown outcome`))),
      fork: async (id, at) =>
        within(id, (session) => {
          if (at !== undefined && at > session.head)
            return err(
              failure('VALIDATION_ERROR', `at: must be a whole number from 0 to ${session.head}`),
            )
          const child = this.make(tenant, session.title)
          child.entries.push(...session.entries.slice(0, at))
          return ok({ ...child.row(), parent: session.id, forkedAt: at ?? session.head })
        }),
      follow: async (id, from) =>
        within(id, (session) => ok(this.counted(session, this.after(session, from)))),
      queued: async () => ok([]),
      totals: async () => {
        const all = [...this.sessions.values()].filter((session) => session.tenant === tenant)
        return ok({
          sessions: all.length,
          inputTokens: 10 * all.length,
          outputTokens: 5 * all.length,
          cost: undefined,
          lastActive: undefined,
          models: [],
          agents: [],
        })
      },
      open: async ({ title = '', tags = [], meta = {} } = {}) => {
        const session = this.make(tenant, title)
        Object.assign(session, { tags, meta })
        return ok(session.row())
      },
      waiting: async () =>
        ok(
          [...this.sessions.values()].filter(
            (session) => session.tenant === tenant && session.ask !== undefined,
          ).length,
        ),
      sessions: async ({ limit, cursor }) => {
        const all = [...this.sessions.values()].filter((session) => session.tenant === tenant)
        const start = Number(cursor ?? 0)
        if (!Number.isInteger(start))
          return err(failure('VALIDATION_ERROR', 'cursor: is not one of ours'))
        return ok({
          rows: all.slice(start, start + limit).map((session) => session.row()),
          next: start + limit < all.length ? String(start + limit) : undefined,
        })
      },
      session: async (id) =>
        within(id, (session) =>
          ok({
            row: session.row(),
            state: session.ask ? ('confirming' as const) : ('idle' as const),
            asks: session.ask ? [session.ask] : [],
            unknown: [],
            entries: session.entries,
          }),
        ),
      update: async (id, { title, tags, meta }) =>
        within(id, (session) => {
          session.title = title ?? session.title
          session.tags = tags ?? session.tags
          session.meta = meta ?? session.meta
          return ok(session.row())
        }),
      remove: async (id) =>
        within(id, (session) => {
          if (session.active) return err(failure('RUN_ACTIVE', 'the session has a run in progress'))
          this.sessions.delete(id)
          return ok(undefined)
        }),
    }
    return client
  }

  make(tenant: TenantId, title: string): SmallSession {
    const id = sessionId(`sess_${++this.#lastNumber}`)
    const session = new SmallSession(id, tenant, title.slice(0, 80))
    this.sessions.set(id, session)
    return session
  }

  after(session: SmallSession, from: FrameId | undefined): number {
    if (!from)
      return Math.max(
        0,
        session.frames.findLastIndex(({ event }) => event.type === 'init'),
      )
    return session.frames.findIndex(({ id }) => frameId(id) === frameId(from)) + 1
  }

  counted(session: SmallSession, from: number): FrameCursor {
    this.open++
    let counted = true
    const cursor = session.cursor(from)
    return {
      ...cursor,
      close: () => {
        if (counted) this.open--
        counted = false
        cursor.close()
      },
    }
  }

  begin(session: SmallSession, text: string, key: string): void {
    session.active = true
    session.cancelled = false
    session.tell({ type: 'init', session_id: session.id })
    session.keep({ kind: 'user_message', key, text, principal: 'local', bundle: 'b' })
    void this.turn(session, text)
  }

  async turn(session: SmallSession, text: string): Promise<void> {
    const [word, count = ''] = text.split(' ')
    await sleep(1)
    const question = questions[word ?? '']
    if (question) return this.park(session, question.ask, question.event)
    switch (word) {
      case 'tool': {
        const parameters = { path: '/deals', api_key: 'sk-planted' }
        session.tell(
          { type: 'text_delta', content: 'Looking. ' },
          { type: 'tool_call_start', tool_name: 'request', tool_id: 'c1', parameters },
        )
        session.keep({
          kind: 'model_reply',
          step: 1,
          text: 'Looking. ',
          calls: [{ id: callId('c1'), name: 'request', input: JSON.stringify(parameters) }],
          usage: {},
          model: { provider: 'p', model: 'm' },
          finish: 'tool-calls',
          ms: 1,
        })
        session.keep({
          kind: 'tool_outcome',
          call: callId('c1'),
          name: 'request',
          status: 'success',
          output: { deals: 2 },
          ms: 3,
        })
        session.tell(
          {
            type: 'tool_call_result',
            tool_id: 'c1',
            status: 'success',
            result: '{"deals":2}',
            duration_ms: 3,
          },
          { type: 'widget', widget_type: 'data-table', data: { rows: [] } },
        )
        return this.end(session, 'Two deals.')
      }
      case 'fail':
        session.tell({
          type: 'error',
          code: count === '' ? 'MODEL_FAILED' : count,
          message: 'the model said no',
        })
        return this.over(session, 'error')
      case 'many':
      case 'slow':
        for (let n = 0; n < Number(count) && !session.cancelled; n++) {
          session.tell({ type: 'text_delta', content: `w${n} ` })
          if (word === 'slow') await sleep(5)
        }
        return session.cancelled ? this.over(session, 'user_abort') : this.end(session, 'end')
      default:
        for (const part of text.split(/(?<= )/)) session.tell({ type: 'text_delta', content: part })
        return this.end(session, '', text)
    }
  }

  park(session: SmallSession, ask: PendingAsk, event?: AgentEvent): void {
    session.ask = ask
    if (event) return session.tell(event)
    session.tell(
      ask.type === 'question'
        ? {
            type: 'ask_user',
            ask_id: ask.id,
            questions: [{ id: 'q1', text: 'Which one?', type: 'text' }],
          }
        : {
            type: 'confirmation_required',
            id: ask.id,
            correlation_id: ask.id,
            endpoint: '/mail',
            method: 'POST',
            reason: 'sends mail',
            escalated: false,
            tier: 'confirm',
            params: ask.context['params'] ?? {},
            connection_name: 'mail',
            pending_input_type: 'approval',
            pending_input_schema: ask.schema,
            pending_input_context: ask.context,
          },
    )
  }

  answered(session: SmallSession, answer: Json): void {
    session.ask = undefined
    session.keep({ kind: 'input_answered', answer })
    void sleep(1).then(() => this.end(session, `You said ${JSON.stringify(answer)}.`))
  }

  end(session: SmallSession, text: string, all = text): void {
    if (text !== '') session.tell({ type: 'text_delta', content: text })
    session.keep({
      kind: 'model_reply',
      step: 2,
      text: all,
      calls: [],
      usage: {},
      model: { provider: 'p', model: 'm' },
      finish: 'stop',
      ms: 1,
    })
    this.over(session, 'model_stop')
  }

  over(session: SmallSession, reason: 'model_stop' | 'error' | 'user_abort'): void {
    session.active = false
    session.tell({
      type: 'done',
      reason,
      usage: { input_tokens: 10, output_tokens: 5, cached_tokens: 0, total_tokens: 15 },
    })
  }

  bundle(): undefined {
    return undefined
  }
  async reloadBundle(): Promise<Result<never, Failure>> {
    return err(failure('BAD_REPO', 'this agent has no files'))
  }
  async compiled(): Promise<
    Result<{ prompt: CompiledPrompt; tools: ToolList; model: undefined }, Failure>
  > {
    return ok({
      prompt: { sections: [], text: 'You are small.', tokens: 4, window: 100 },
      tools: { tools: [], aliases: {} },
      model: undefined,
    })
  }
  models(): [] {
    return []
  }
  status(): { active: number; resident: number; ready: boolean; problem?: Failure } {
    const active = [...this.sessions.values()].filter((session) => session.active).length
    return {
      active,
      resident: this.sessions.size,
      ready: this.ready,
      ...(this.problem && { problem: this.problem }),
    }
  }
  runs(): [] {
    return []
  }
}
