import loopGuard from '@amodal/plugin-loop-guard'
import prompt from '@amodal/plugin-prompt'
import {
  definePlugin,
  Tools,
  use,
  type Json,
  type JsonObject,
  type ToolDefinition,
} from '@amodal/sdk'
import { contentText, reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import { onTestFinished } from 'vitest'
import { openDoor, type Door, type DoorOptions } from '../../security/support/door.ts'
import { reads, success } from './tools.ts'

export interface LookingOptions extends Partial<DoorOptions> {
  /** Tokens of the model's window. */
  readonly window?: number
  readonly look?: (args: JsonObject) => Json
  readonly tools?: readonly ToolDefinition[]
  /**
   * The model is asked now and then whether the run gets anywhere, as it is by default; otherwise
   * it is asked nothing but what the test is about.
   */
  readonly judged?: boolean
}

/** The real server of the dev preset, with a tool `look` and a model behind the real protocol. */
export async function openLooking(
  script: (request: ChatCompletionRequest, n: number) => Reply | Promise<Reply>,
  options: LookingOptions = {},
): Promise<Door> {
  const {
    window = 32_000,
    look = () => 'nothing',
    tools = [],
    entries = [],
    judged = false,
    ...more
  } = options
  const source = { tools: () => [reads('look', (args) => success(look(args))), ...tools] }
  const looking = definePlugin({
    name: 'looking',
    version: '1.0.0',
    setup({ add }) {
      add(Tools, 'looking', source)
    },
  })
  const quiet = judged ? [] : [use(loopGuard, { progressEvery: 0 })]
  const door = await openDoor({
    script,
    entries: [use(prompt, { window }), ...quiet, use(looking), ...entries],
    manifest: { limits: { maxTurns: 400 } },
    ...more,
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  return door
}

/** The call that writes the notes of a snapshot. */
export const isSummary = (request: ChatCompletionRequest): boolean =>
  contentText(request.messages[0]).startsWith('You keep the notes')

/** The calls that the conversation itself made. */
export const mainCalls = (door: Door): readonly ChatCompletionRequest[] =>
  door.model.requests
    .map(({ body }) => body)
    .filter((request) => !isSummary(request) && (request.tools?.length ?? 0) > 0)

export const textOf = (request: ChatCompletionRequest | undefined): string =>
  JSON.stringify(request?.messages ?? [])

export const typed = (events: readonly JsonObject[], type: string): readonly JsonObject[] =>
  events.filter((event) => event['type'] === type)

/** The session that a stream is of. */
export const sessionOf = (events: readonly JsonObject[]): string =>
  typed(events, 'init')
    .map(({ session_id: id }) => (typeof id === 'string' ? id : ''))
    .join('')

/** Text of so many characters. */
export const filler = (size: number, seed: Json | undefined): string =>
  `${JSON.stringify(seed)} lorem ipsum dolor sit amet `.repeat(Math.ceil(size / 28)).slice(0, size)

export const looks = (page: number): Reply => reply.toolCalls({ name: 'look', arguments: { page } })
