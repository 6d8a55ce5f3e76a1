import chat from '@amodal/plugin-chat'
import confirmations from '@amodal/plugin-confirmations'
import { http } from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import loop from '@amodal/plugin-loop'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import prompt from '@amodal/plugin-prompt'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import toolsPresent from '@amodal/plugin-tools-present'
import {
  BundleSource,
  Commands,
  defineBundle,
  definePlugin,
  defineTool,
  explain,
  ok,
  silentLogger,
  startAgent,
  Tools,
  unwrap,
  use,
  type Command,
  type CommandContext,
  type Plugin,
  type Running,
} from '@amodal/sdk'
import { reply, startModelServer, type Answer, type Script } from '@amodal/sdk/testing'
import { z } from 'zod'
import { terminal } from '../src/index.ts'

/** What `amodal chat` did. */
export interface Ran {
  readonly code: number
  readonly out: string
  readonly errors: string
}

export interface World extends AsyncDisposable {
  readonly url: string
  /** Runs `amodal chat` as the command line would, with what a person types. */
  run(
    typed: readonly string[],
    given?: {
      readonly message?: string
      readonly options?: CommandContext['options']
      readonly env?: CommandContext['env']
    },
  ): Promise<Ran>
}

/** An agent behind a scripted model, with the command, on a real server. */
export async function world(script: Script): Promise<World> {
  const model = await startModelServer({ script })
  const started = unwrap(
    await startAgent([
      use(secretsEnv, { env: {}, masterKey: 'memory' }),
      use(outbound),
      use(loop),
      use(prompt),
      use(modelOpenaiCompatible),
      use(sessionsMemory),
      use(toolsPresent),
      use(confirmations),
      use(http, { port: 0 }),
      use(chat),
      use(terminal),
      use(filesOf(model.url)),
      use(mail),
    ]),
    (error) => ('failure' in error ? JSON.stringify(error.failure) : explain(error)),
  )
  const command = started.kernel.current().registry(Commands).get('chat')
  if (!command) throw new Error('there is no command chat')
  return {
    url: `http://127.0.0.1:${started.kernel.scope.get(HttpApp).address()?.port ?? 0}`,
    run: (typed, given = {}) => run(command, started, typed, given),
    async [Symbol.asyncDispose]() {
      await started.close()
      await model.close()
    },
  }
}

async function run(
  command: Command,
  { kernel }: Running,
  typed: readonly string[],
  { message = '', options = {}, env = {} }: NonNullable<Parameters<World['run']>[1]>,
): Promise<Ran> {
  let [out, errors] = ['', '']
  const code = await command.run({
    options,
    arguments: message === '' ? [] : message.split(' '),
    dir: '/',
    env,
    log: silentLogger,
    start: () => Promise.resolve(kernel),
    signal: new AbortController().signal,
    print: (line) => {
      out += `${line}\n`
    },
    write: (text) => {
      out += text
    },
    fail: (line) => {
      errors += `${line}\n`
    },
    input: (async function* () {
      yield* typed
    })(),
  })
  return { code, out, errors }
}

/** A tool that sends mail, once a person has allowed it. */
const mail = definePlugin({
  name: 'mail',
  version: '1.0.0',
  setup: ({ add }) =>
    add(Tools, 'mail', {
      tools: () => [
        {
          ...defineTool({
            name: 'send_mail',
            description: 'Sends mail',
            readOnly: false,
            input: z.object({ to: z.string(), token: z.string().optional() }),
            execute: async () => ({ status: 'success', output: { isSent: true } }),
          }),
          tier: 'confirm',
        },
        defineTool({
          name: 'look_up',
          description: 'Looks deals up',
          readOnly: true,
          input: z.object({ path: z.string(), api_key: z.string().optional() }),
          execute: async ({ path }) =>
            path === '/none'
              ? { status: 'error', message: 'there is no such path' }
              : { status: 'success', output: ['deal'] },
        }),
      ],
    }),
})

function filesOf(baseUrl: string): Plugin {
  const bundle = defineBundle({
    name: 'helper',
    models: {
      main: { provider: 'openai-compatible', model: 'scripted', baseUrl, apiKey: 'none' },
    },
  })
  return definePlugin({
    name: 'files',
    version: '1.0.0',
    provides: [BundleSource],
    setup: ({ provide }) =>
      provide(BundleSource, () => ({ where: 'test', load: () => Promise.resolve(ok(bundle)) })),
  })
}

const questionFor = (text: string): Readonly<Record<string, unknown>> | undefined =>
  ({
    question: { question: 'Which one?' },
    sure: { question: 'Sure?', type: 'boolean' },
    choose: { question: 'Where?', type: 'multi', options: ['Europe', 'Asia'] },
    form: { questions: [{ text: 'Name?' }, { text: 'Sure?', type: 'boolean' }] },
  })[text]

const callFor = (text: string): Answer => {
  const question = questionFor(text)
  if (question) return reply.toolCalls({ name: 'ask_user', arguments: question })
  switch (text) {
    case 'mail':
      return reply.toolCalls({ name: 'send_mail', arguments: { to: 'Ada', token: 'sk-planted' } })
    case 'tool':
      return reply.toolCalls(
        { name: 'look_up', arguments: { path: '/deals', api_key: 'sk-planted' } },
        { before: 'Looking. ' },
      )
    case 'broken':
      return reply.toolCalls({ name: 'look_up', arguments: { path: '/none' } })
    default:
      return reply.text([`You: ${text}`])
  }
}

/**
 * A model that does what the message says: `mail`, `tool`, a question, an error, or an echo. It
 * repeats the result of a call.
 */
export const obedient: Script = ({ messages }) => {
  const last = messages.at(-1)
  if (last?.role === 'tool') return reply.text(`Result: ${JSON.stringify(last.content)}`)
  const text = textOf(messages.findLast(({ role }) => role === 'user')?.content)
  return text === 'fail' ? reply.httpError(400, { message: 'the model refused' }) : callFor(text)
}

const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content
  return Array.isArray(content)
    ? content.map((part: { readonly text?: string }) => part.text ?? '').join('')
    : ''
}
