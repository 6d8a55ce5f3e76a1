import { History } from '@amodal/plugin-loop'
import { sessionId, type Frame, type Placed, type SessionId, type SessionStore, type StateKind } from '@amodal/sdk'
import fc from 'fast-check'
import { startTestAgent, type TestAgent } from './agent.ts'
import type { Asked, Reply } from './scripted-model.ts'
import { decorateStore, sharedStore, type StoreCall } from './store.ts'
import { reads, success, writes } from './tools.ts'

const TOOLS = ['look', 'write', 'keyed', 'ask', 'confirm', 'denied', 'fails', 'nowhere', 'stop'] as const

const call = fc.record({ name: fc.constantFrom(...TOOLS), id: fc.constantFrom('a', 'b', ''), input: fc.constantFrom('{}', '{"v":1}', '{"v":', '[]') })
const step = fc.record({
  text: fc.array(fc.constantFrom('so ', 'it ', 'is '), { maxLength: 2 }), calls: fc.array(call, { maxLength: 4 }),
  ends: fc.oneof({ weight: 8, arbitrary: fc.constant('well') }, { weight: 1, arbitrary: fc.constant('length') }, { weight: 1, arbitrary: fc.constant('breaks') }),
})
const message = fc.record({ steps: fc.array(step, { maxLength: 3 }), cancelAt: fc.option(fc.nat(6), { nil: undefined, freq: 3 }), server: fc.nat(1) })

/** What a model says to each message, when somebody cancels, what people answer, and how long the store takes. */
export const plan = fc.record({
  messages: fc.array(message, { minLength: 1, maxLength: 3 }), together: fc.boolean(),
  yes: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }), pace: fc.array(fc.nat(3), { minLength: 7, maxLength: 7 }),
})
export type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never

interface Going { readonly message: Plan['messages'][number]; readonly session: SessionId; replies: number; ticks: number }
export interface Move { readonly from: StateKind; readonly to: StateKind }

/** A plan that was played: what each message's reader got, in the order of the messages. */
export interface Played { readonly session: SessionId; readonly said: readonly string[]; readonly readers: readonly (readonly Frame[])[] }

/** One server or two on one store, in which many plans run, each in a session of its own. */
export class World {
  readonly servers: TestAgent[] = []
  readonly moves: Move[] = []
  /** Keys of the effects that happened. */
  readonly effects: string[] = []
  readonly statements: StoreCall[] = []
  readonly #going = new Map<string, Going>()
  #plans = 0
  #pace: readonly number[] = []
  #paces = 0

  static async start(servers: 1 | 2): Promise<World> {
    const world = new World()
    const store = servers === 2 ? await sharedStore() : undefined
    for (let n = 0; n < servers; n++) world.servers.push(await world.#server(store))
    return world
  }

  get asked(): readonly Asked[] { return this.servers.flatMap(({ model }) => model.asked) }

  /** Plays it to its end: every question is answered, until each message has its `done`. */
  async play(played: Plan): Promise<Played> {
    const id = this.#plans++
    const session = sessionId(`sess_plan${id}`)
    const said = played.messages.map((_, index) => `plan ${id} message ${index}`)
    this.#pace = this.servers.length > 1 ? played.pace : []
    for (const list of [this.moves, this.effects, this.statements]) list.length = 0
    let answers = 0
    const one = async (text: string, index: number): Promise<readonly Frame[]> => {
      const message = played.messages[index]
      const server = this.#at(message?.server ?? 0)
      if (message) this.#going.set(text, { message, session, replies: 0, ticks: 0 })
      const sent = await server.send(text, session, { create: true })
      const frames: Frame[] = []
      for await (const frame of sent.frames) {
        frames.push(frame)
        const { event } = frame
        const ask = event.type === 'confirmation_required' ? event.id : event.type === 'ask_user' ? event.ask_id : undefined
        if (ask !== undefined) void this.#at(answers).answer(session, [ask, event.type === 'ask_user' ? {} : { approved: played.yes[answers++ % 3] ?? false }])
      }
      return frames
    }
    const readers: (readonly Frame[])[] = []
    if (played.together) readers.push(...await Promise.all(said.map(one)))
    else for (const [index, text] of said.entries()) readers.push(await one(text, index))
    return { session, said, readers }
  }

  #at(n: number): TestAgent {
    const server = this.servers[n % this.servers.length]
    if (!server) throw new Error('a world without servers')
    return server
  }

  #server(store: SessionStore | undefined): Promise<TestAgent> {
    const slowly = async (): Promise<void> => {
      for (let turns = this.#pace[this.#paces++ % 7] ?? 0; turns > 0; turns--) await new Promise((resolve) => { setImmediate(resolve) })
    }
    return startTestAgent({
      ...(store ? { store } : {}), limits: { maxTurns: 4 }, settings: { pollMs: 5 },
      around: (inner) => decorateStore(inner, async (made, proceed) => {
        this.statements.push(made)
        await slowly()
        const answer = await proceed()
        await slowly()
        return answer
      }, store === undefined),
      script: (asked) => this.#reply(asked),
      tools: [
        reads('look'), reads('fails', () => { throw new Error('no') }), reads('stop', () => ({ status: 'success', output: 1, ends: true })),
        reads('ask', () => ({ status: 'asks', question: { type: 'question', schema: { type: 'object' }, context: {} } })),
        ...['write', 'keyed', 'confirm', 'denied'].map((name) => writes(name, (_args, { key }) => { this.effects.push(key); return success(name) }, { keyed: name === 'keyed' })),
      ],
      taps: ({ tool, state }) => {
        tool.guard.tap((verdict, { tool: { name } }) => (name === 'confirm' ? verdict.raise('confirm', 'sure?') : name === 'denied' ? verdict.raise('deny', 'never') : undefined))
        state.changed.tap((from, to) => { this.moves.push({ from, to }) })
      },
    })
  }

  #reply({ said, toolChoice }: Asked): Reply {
    const one = this.#going.get(said)
    // Somebody may cancel right now.
    if (one && one.ticks++ === one.message.cancelAt) void this.#at(one.ticks).face.cancel(one.session)
    const next = one?.message.steps[one.replies++]
    if (!next || toolChoice === 'none') return { text: 'end' }
    return { text: next.text, calls: next.calls, ...(next.ends === 'length' ? { finish: 'length' } : {}), ...(next.ends === 'breaks' ? { breaks: 'cut' } : {}) }
  }
}

export function folded(entries: readonly Placed[]): History {
  const history = new History()
  for (const entry of entries) history.apply(entry, entry.seq)
  return history
}
