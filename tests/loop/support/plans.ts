import compaction from '@amodal/plugin-compaction'
import { History } from '@amodal/plugin-loop'
import prompt from '@amodal/plugin-prompt'
import subagents from '@amodal/plugin-subagents'
import {
  sessionId,
  use,
  type AgentEvent,
  type Frame,
  type JsonObject,
  type SequencedEntry,
  type SendRequest,
  type SessionId,
  type SessionStore,
  type StateKind,
  type Entry,
} from '@amodal/sdk'
import fc from 'fast-check'
import { startTestAgent, type TestAgent } from './agent.ts'
import type { Asked, Reply, ScriptedCall } from './scripted-model.ts'
import { decorateStore, sharedFiles, sharedStore, type StoreCall } from './store.ts'
import { reads, success, writes } from './tools.ts'

const TOOLS = [
  'look',
  'write',
  'keyed',
  'ask',
  'confirm',
  'denied',
  'fails',
  'nowhere',
  'stop',
  'bulk',
  'bulk',
  'chain',
  'peek',
] as const
/** A sub-agent that asks is looked at ten times a second: few of them do. */
const CHILD_TOOLS = [
  'look',
  'write',
  'keyed',
  'denied',
  'fails',
  'nowhere',
  'bulk',
  'chain',
] as const

/** As some providers make them; others take no more than 40 characters. */
const LONG = `toolu/${'x'.repeat(120)}`

const callOf = (...names: readonly string[]) =>
  fc.record({
    name: fc.constantFrom(...names),
    id: fc.constantFrom('a', 'b', '', LONG),
    input: fc.constantFrom('{}', '{"v":1}', '{"v":', '[]'),
  })
const stepOf = (call: ReturnType<typeof callOf>, most: number) =>
  fc.record({
    text: fc.array(fc.constantFrom('so ', 'it ', 'is ', '\n'), { maxLength: 2 }),
    calls: fc.array(call, { maxLength: most }),
    ends: fc.oneof(
      { weight: 8, arbitrary: fc.constant('well') },
      { weight: 1, arbitrary: fc.constant('length') },
      { weight: 1, arbitrary: fc.constant('breaks') },
    ),
  })
const oneIn = (
  freq: number,
  often: readonly string[],
  rarely: readonly string[],
): ReturnType<typeof callOf> =>
  fc.oneof(
    { weight: freq - 1, arbitrary: callOf(...often) },
    { weight: 1, arbitrary: callOf(...rarely) },
  )
const message = fc.record({
  steps: fc.array(stepOf(oneIn(12, TOOLS, ['dispatch_task']), 4), { maxLength: 4 }),
  cancelAt: fc.option(fc.nat(6), { nil: undefined, freq: 3 }),
  server: fc.nat(1),
  image: fc.boolean(),
  /** Of the request. The second reply takes 40 tokens more, and sends the first again. */
  limits: fc.record(
    {
      maxTurns: fc.integer({ min: 1, max: 4 }),
      maxSessionTokens: fc.constantFrom(2_000, 8_000, 30_000),
    },
    { requiredKeys: [] },
  ),
})

/**
 * What a model says to each message, when somebody cancels, what people answer, and how long the
 * store takes.
 */
export const plan = fc.record({
  messages: fc.array(message, { minLength: 1, maxLength: 3 }),
  together: fc.boolean(),
  children: fc.array(
    fc.array(stepOf(oneIn(30, CHILD_TOOLS, ['ask', 'confirm']), 2), { maxLength: 2 }),
    { minLength: 1, maxLength: 3 },
  ),
  /** What the model that sums up does. */
  notes: fc.constantFrom('well', 'badly', 'breaks'),
  yes: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  pace: fc.array(fc.nat(3), { minLength: 7, maxLength: 7 }),
})
export type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never
type Step = Plan['children'][number][number]

interface Going {
  readonly steps: readonly Step[]
  readonly cancelAt: number | undefined
  /** Of a message; a sub-agent's is not known. */
  readonly session: SessionId | undefined
  readonly plan: Plan
  replies: number
  ticks: number
  children: number
}

export interface Move {
  readonly from: StateKind
  readonly to: StateKind
}

/** A plan that was played: what each message's reader got, in the order of the messages. */
export interface Played {
  readonly session: SessionId
  readonly said: readonly string[]
  readonly readers: readonly (readonly Frame[])[]
}

const IMAGE = {
  mediaType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
} as const
/** Tokens of the window: a few bulky results fill it. */
const WINDOW = 4_000
const BULK = 'lorem ipsum dolor sit amet '.repeat(100)

/** One server or two on one store, in which many plans run, each in a session of its own. */
export class World {
  readonly servers: TestAgent[] = []
  readonly moves: Move[] = []
  /** Keys of the effects that happened. */
  readonly effects: string[] = []
  readonly statements: StoreCall[] = []
  /** What models were asked since the plan began, on whichever server. */
  readonly asked: Asked[] = []
  readonly #going = new Map<string, Going>()
  #notes: Plan['notes'] = 'well'
  #plans = 0
  #pace: readonly number[] = []
  #paces = 0

  static async start(servers: 1 | 2): Promise<World> {
    const world = new World()
    const store = servers === 2 ? await sharedStore() : undefined
    const files = await sharedFiles()
    for (let n = 0; n < servers; n++) world.servers.push(await world.#server(store, files))
    return world
  }

  /**
   * Plays it to its end: every question is answered, until each message has its `done` and nobody
   * is at work.
   */
  async play(played: Plan): Promise<Played> {
    const id = this.#plans++
    const session = sessionId(`sess_plan${id}`)
    const said = played.messages.map((_, index) => `plan ${id} message ${index}`)
    this.#pace = this.servers.length > 1 ? played.pace : []
    this.#notes = played.notes
    this.#going.clear()
    for (const list of [this.moves, this.effects, this.statements, this.asked]) list.length = 0
    let answers = 0
    const one = async (text: string, index: number): Promise<readonly Frame[]> => {
      const message = played.messages[index]
      const server = this.#at(message?.server ?? 0)
      if (message)
        this.#going.set(text, {
          ...message,
          plan: played,
          session,
          replies: 0,
          ticks: 0,
          children: 0,
        })
      const sent = await server.send(text, session, {
        create: true,
        ...(message?.image ? { assets: [IMAGE] } : {}),
        limits: limitsOf(message),
      })
      const frames: Frame[] = []
      for await (const frame of sent.frames) {
        frames.push(frame)
        const ask = askIn(frame.event)
        if (ask)
          void this.#at(answers).answer(session, [
            ask.id,
            ask.answer(played.yes[answers++ % 3] ?? false),
          ])
      }
      return frames
    }
    const readers: (readonly Frame[])[] = []
    if (played.together) readers.push(...(await Promise.all(said.map(one))))
    else for (const [index, text] of said.entries()) readers.push(await one(text, index))
    while (this.servers.some(({ agent }) => agent.status().active > 0))
      await new Promise((resolve) => {
        setTimeout(resolve, 1)
      })
    return { session, said, readers }
  }

  /** Its entries, and those of the sub-agents that it had. */
  async journals(session: SessionId): Promise<{
    readonly own: readonly SequencedEntry[]
    readonly children: readonly (readonly SequencedEntry[])[]
  }> {
    const own = await this.#at(0).journal(session)
    const opened = own.flatMap((entry) => (entry.kind === 'child_opened' ? [entry.child] : []))
    const children = await Promise.all(opened.map((child) => this.#at(0).face.session(child)))
    // a turn may be stopped before one begins
    return { own, children: children.map((child) => (child.ok ? child.value.entries : [])) }
  }

  #at(n: number): TestAgent {
    const server = this.servers[n % this.servers.length]
    if (!server) throw new Error('a world without servers')
    return server
  }

  #server(store: SessionStore | undefined, files: Entry): Promise<TestAgent> {
    const slowly = async (): Promise<void> => {
      for (let turns = this.#pace[this.#paces++ % 7] ?? 0; turns > 0; turns--)
        await new Promise((resolve) => {
          setImmediate(resolve)
        })
    }
    return startTestAgent({
      ...(store ? { store } : {}),
      limits: { maxTurns: 4, onMaxTurns: store ? 'finish' : 'ask' },
      settings: { pollMs: 5 },
      plugins: [
        use(prompt, { window: WINDOW }),
        use(compaction),
        use(subagents, { parallel: 2 }),
        files,
      ],
      around: (inner) =>
        decorateStore(
          inner,
          async (made, proceed) => {
            this.statements.push(made)
            await slowly()
            const answer = await proceed()
            await slowly()
            return answer
          },
          store === undefined,
        ),
      script: (asked) => this.#reply(asked),
      tools: [
        reads('look'),
        reads('fails', () => {
          throw new Error('no')
        }),
        reads('stop', () => ({ status: 'success', output: 1, ends: true })),
        reads('bulk', () => success(BULK)),
        reads('peek', async (_args, { call }) => call({ name: 'write', args: {} })),
        reads('ask', () => ({
          status: 'asks',
          question: { type: 'question', schema: { type: 'object' }, context: {} },
        })),
        writes('chain', async (_args, { call }) =>
          success(
            (
              await Promise.all(
                ['look', 'write', 'keyed', 'confirm', 'denied'].map((name) =>
                  call({ name, args: {} }),
                ),
              )
            ).map(({ status }) => status),
          ),
        ),
        ...['write', 'keyed', 'confirm', 'denied'].map((name) =>
          writes(
            name,
            (_args, { key }) => {
              this.effects.push(key)
              return success(name)
            },
            { keyed: name === 'keyed' },
          ),
        ),
      ],
      taps: ({ tool, state }) => {
        tool.guard.tap((verdict, { tool: { name } }) =>
          name === 'confirm'
            ? verdict.raise('confirm', 'sure?')
            : name === 'denied'
              ? verdict.raise('deny', 'never')
              : undefined,
        )
        state.changed.tap((from, to) => {
          this.moves.push({ from, to })
        })
      },
    })
  }

  #reply(asked: Asked): Reply {
    const { said, toolChoice } = asked
    this.asked.push(asked)
    if (isSummary(asked)) return SUMMARIES[this.#notes]
    const one = this.#going.get(said)
    // Somebody may cancel right now.
    if (one?.session && one.ticks++ === one.cancelAt)
      void this.#at(one.ticks).face.cancel(one.session)
    const next = one?.steps[one.replies++]
    if (!one || !next || toolChoice === 'none') return { text: 'end' }
    const calls = next.calls.map((call) => this.#dispatched(call, said, one))
    return {
      text: next.text,
      calls,
      ...(next.ends === 'length' ? { finish: 'length' } : {}),
      ...(next.ends === 'breaks' ? { breaks: 'cut' } : {}),
    }
  }

  /** A call of a sub-agent, with what its model will do. */
  #dispatched(call: ScriptedCall, said: string, one: Going): ScriptedCall {
    if (call.name !== 'dispatch_task' || call.input === '{"v":') return call
    const task = `${said} child ${one.children}`
    const { children } = one.plan
    this.#going.set(task, {
      steps: children[one.children++ % children.length] ?? [],
      cancelAt: undefined,
      session: undefined,
      plan: one.plan,
      replies: 0,
      ticks: 0,
      children: 0,
    })
    return { ...call, input: JSON.stringify({ prompt: task }) }
  }
}

const SUMMARIES: Readonly<Record<Plan['notes'], Reply>> = {
  well: { text: '{"findings":["it is known"]}' },
  badly: { text: 'I would rather not.' },
  breaks: { text: '{"find', breaks: 'cut' },
}

/** The call that writes the notes of a snapshot. */
export const isSummary = ({ said }: Asked): boolean => said.startsWith('Notes so far:')

const limitsOf = (
  message: Plan['messages'][number] | undefined,
): NonNullable<SendRequest['limits']> => message?.limits ?? {}

function askIn(
  event: AgentEvent,
): { readonly id: string; readonly answer: (yes: boolean) => JsonObject } | undefined {
  if (event.type === 'ask_user') return { id: event.ask_id, answer: () => ({}) }
  if (event.type !== 'confirmation_required') return undefined
  if (event.pending_input_type !== 'continue_or_finish')
    return { id: event.id, answer: (yes) => ({ approved: yes }) }
  return {
    id: event.id,
    answer: (yes) => (yes ? { action: 'continue', additional_turns: 1 } : { action: 'finish' }),
  }
}

export function folded(entries: readonly SequencedEntry[]): History {
  const history = new History()
  for (const entry of entries) history.apply(entry, entry.seq)
  return history
}
