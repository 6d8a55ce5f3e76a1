import outbound from '@amodal/plugin-outbound'
import subagents from '@amodal/plugin-subagents'
import toolsWeb from '@amodal/plugin-tools-web'
import { type Entry, type JsonObject, use } from '@amodal/sdk'
import {
  contentText,
  reply,
  type ChatCompletionRequest,
  type Reply,
  type ScriptedToolCall,
} from '@amodal/sdk/testing'
import type { Wanted } from '../injection/obedient.ts'
import { canonical, settle, type Asked } from '../injection/play.ts'
import { connection } from '../injection/scenario.ts'
import { startWorld, type World } from '../injection/world.ts'
import { JUDGED_BY_WORDS, openDoor, textIn, type Door } from '../support/door.ts'
import type { Channel } from './channels.ts'
import type { Task } from './tasks.ts'

const today = new Date().toISOString().slice(0, 10)
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
export const dated = <T>(value: T): T =>
  // the same, with texts replaced
  JSON.parse(JSON.stringify(value).replaceAll('{{tomorrow}}', tomorrow)) as T
export const keyOf = ({ tool, args }: Wanted): string => `${tool} ${canonical(args)}`
/** Whether an approval is for a call; of one with an account, the arguments are not shown. */
export const isFor = (wants: Wanted): ((one: Asked) => boolean) => {
  const wanted = keyOf(dated(wants))
  return ({ tool, params }) =>
    wanted.includes('"iban"') ? tool === wants.tool : `${tool} ${params}` === wanted
}

/** How the prompt of the judge begins (`plugins/guard-taint/src/judge.ts`). */
const JUDGE = 'You check what an assistant is about to do'
/** Answers the prompt of the judge. */
type Judge = (prompt: string) => string
/** A prompt as it is on any day and at any port. */
const undated = (prompt: string): string =>
  prompt
    .replace(/(?<=^Today is )\w+/, '{{weekday}}')
    .replaceAll(tomorrow, '{{tomorrow}}')
    .replaceAll(today, '{{today}}')
    .replace(/(?<=127\.0\.0\.1:)\d+/g, '{{port}}')

/**
 * A model that does what it is told to by whoever told it last: the steps of one session, in their
 * order.
 */
class Obedient {
  steps: (readonly Wanted[])[] = []
  answer = ''
  readonly #judge: Judge
  #calls = 0

  constructor(judge: Judge) {
    this.#judge = judge
  }

  play(request: ChatCompletionRequest): Reply {
    if (contentText(request.messages[0]).startsWith(JUDGE))
      return reply.text(this.#judge(undated(contentText(request.messages.at(-1)))))
    if (
      JSON.stringify(request.messages).includes('ERRAND') &&
      !JSON.stringify(request.messages).includes('dispatch_task')
    )
      return reply.text(this.answer)
    const step = this.steps.shift()
    return step && step.length > 0
      ? reply.toolCalls(
          step.map(({ tool, args }): ScriptedToolCall => ({
            id: `call_${++this.#calls}`,
            name: tool,
            arguments: args,
          })),
        )
      : reply.text('Done.')
  }
}

export interface End {
  readonly asked: readonly Asked[]
  readonly done: number
  readonly unasked: number
  readonly state: string
}

/** An agent that may do everything, so that nothing but the guard is in the way. */
export class Desk implements AsyncDisposable {
  readonly #model: Obedient
  readonly world: World
  readonly #door: Door

  private constructor(model: Obedient, world: World, door: Door) {
    this.#model = model
    this.world = world
    this.#door = door
  }

  /**
   * @param calls all that is going to be called, for which there are connections then
   * @param options.judge answers as the judge of `guard-taint` does, where there is one
   */
  static async open(
    calls: readonly Wanted[],
    {
      descriptions = {},
      entries = [JUDGED_BY_WORDS],
      judge = () => '',
    }: {
      readonly descriptions?: Readonly<Record<string, string>>
      readonly entries?: readonly Entry[]
      readonly judge?: Judge
    } = {},
  ): Promise<Desk> {
    const model = new Obedient(judge)
    const world = await startWorld(descriptions)
    const surfaces = new Map<string, Set<string>>([['crm', new Set(['GET /contacts/{id}'])]])
    for (const { tool, args } of calls) {
      if (tool !== 'request') continue
      const name = textIn(args, 'connection')
      surfaces.set(
        name,
        (surfaces.get(name) ?? new Set()).add(
          `${textIn(args, 'method')} ${textIn(args, 'endpoint').replace(/\d+/g, '{id}')}`,
        ),
      )
    }
    const files = Object.assign(
      {},
      ...[...surfaces].map(([name, lines]) => connection(world, name, [...lines].join('\n'))),
    ) as Readonly<Record<string, string | object>> // of files
    const door = await openDoor({
      script: (request) => model.play(request),
      keep: 10,
      files: {
        ...files,
        'connections/ops/spec.json': {
          protocol: 'mcp',
          transport: 'http',
          url: world.mcp,
          trust: true,
        },
        'connections/ops/access.json': {
          endpoints: Object.fromEntries(
            ['comment_ticket', 'close_ticket', 'assign_ticket', 'deploy', 'rotate_all_keys'].map(
              (name) => [`CALL ${name}`, { confirm: false }],
            ),
          ),
        },
      },
      entries: [
        use(outbound, { privateOrigins: [world.url, world.stranger] }),
        use(toolsWeb, { perHost: 100_000 }),
        use(subagents),
        ...entries,
      ],
    })
    return new Desk(model, world, door)
  }

  /**
   * A person's message, after strangers' texts have come, to its end. They approve what they asked
   * for, and decline all else.
   */
  async play({ says, writes, before = [] }: Task, channel: Channel, wants?: Wanted): Promise<End> {
    this.world.begin(channel.pages ?? {})
    this.#model.answer = channel.answer ?? ''
    const own = new Set(dated(writes).map(keyOf))
    let session: string | undefined
    const turn = async (
      text: string,
      steps: readonly (readonly Wanted[])[],
      approved: ReadonlySet<string>,
      more: JsonObject = {},
    ) => {
      this.#model.steps = steps.map((step) => dated(step))
      const { body } = await this.#door.say(text, {
        ...more,
        ...(session !== undefined && { session_id: session }),
      })
      session = textIn(body, 'session_id')
      return settle(this.#door, session, approved)
    }
    for (const earlier of before)
      await turn(
        earlier.says,
        earlier.writes.map((one) => [one]),
        new Set(earlier.writes.map(keyOf)),
      )
    if (channel.isEarlier) await turn('Read contact 1.', [channel.reads], new Set())
    this.world.begin(channel.pages ?? {})
    const steps = [
      ...(channel.reads.length > 0 && !channel.isEarlier ? [channel.reads] : []),
      ...(wants ? [[wants]] : []),
      ...writes.map((one) => [one]),
    ]
    const { asked, state } = await turn(`${channel.says ?? ''}${says}`, steps, own, channel.message)
    return {
      asked,
      state,
      done: this.world.done.length,
      unasked: this.world.done.length - writes.length,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#door[Symbol.asyncDispose]()
    await this.world[Symbol.asyncDispose]()
  }
}

/** The calls of tasks, with those of the turns before them. */
export const callsOf = (tasks: readonly Pick<Task, 'writes' | 'before'>[]): readonly Wanted[] =>
  tasks.flatMap(({ writes, before = [] }) => [...writes, ...before.flatMap((one) => one.writes)])
