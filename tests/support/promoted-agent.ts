import { once } from 'node:events'
import { createServer } from 'node:http'
import { main } from '@amodal/presets/cli'
import { explainStart, startFolder } from '@amodal/presets'
import { Feedback } from '@amodal/plugin-feedback/tokens'
import {
  Agent,
  LOCAL_IDENTITY,
  LOCAL_TENANT,
  ok,
  principalId,
  type JsonObject,
  type RouteHandler,
  type SessionId,
} from '@amodal/sdk'
import { reply, startModelServer, type Script } from '@amodal/sdk/testing'
import { agentFolder } from './agent-folder.ts'

/** What a person sends, and what they say when they are asked. */
export interface Said {
  readonly text: string
  readonly context?: Readonly<Record<string, string>>
  readonly answers?: readonly JsonObject[]
  /** What they say of the answer. */
  readonly feedback?: JsonObject
}

/** An answer of the service to the requests of one path, in turn. */
export type ServiceAnswer = { readonly status?: number; readonly body: unknown }

/** A request of a message: `> TOOL {arguments}`. `$1.name` is a field of the first result. */
const STEP = /^> (\w+) (\{.*\})$/gm

type Answers = Extract<Script, (...given: never) => unknown>

/**
 * A model that does what the lines of the last message say, and tells what came of it: what it does
 * depends on nothing but messages and results.
 */
const obedient: Answers = ({ messages }) => {
  const texts = messages.map(({ content, role }) => ({ role, text: textOf(content) }))
  const begun = texts.findLastIndex(({ role }) => role === 'user')
  const steps = [...(texts[begun]?.text ?? '').matchAll(STEP)]
  const results = texts.slice(begun + 1).filter(({ role }) => role === 'tool')
  const next = steps[results.length]
  if (!next) return reply.text(`Done. ${results.map(({ text }) => text).join(' | ')}`)
  const [, name = '', given = ''] = next
  const filled = given.replaceAll(/\$(\d)\.(\w+)/g, (_all, which: string, field: string) => {
    const result = results[Number(which) - 1]?.text ?? ''
    return new RegExp(`"${field}":\\s*"([^"]*)"`).exec(result)?.[1] ?? `no ${field}`
  })
  return reply.toolCalls([{ name, arguments: filled }])
}

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content)

const judge: Answers = ({ messages }) => {
  const { requirements, transcript } = JSON.parse(textOf(messages.at(-1)?.content)) as {
    requirements: { id: string; requirement: string }[]
    transcript: { turns: unknown[] }
  }
  const count = transcript.turns.length
  const verdicts = requirements.map(({ id, requirement }) => ({
    id,
    reason: 'as the transcript shows',
    met: Number(/exactly (\d+) turn/.exec(requirement)?.[1] ?? count) === count,
  }))
  return reply.text(JSON.stringify({ verdicts }))
}

/** An agent folder with such a model, a service that it calls, and its command line. */
export async function promotedAgent(files: Readonly<Record<string, string>>) {
  const answers = new Map<string, ServiceAnswer[]>()
  let served = 0
  const service = createServer((request, response) => {
    served++
    const own = answers.get(`${request.method ?? ''} ${request.url ?? ''}`) ?? []
    const { body, status = 200 } = (own.length > 1 ? own.shift() : own[0]) ?? {
      status: 404,
      body: {},
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const bound = service.address()
  const port = typeof bound === 'object' ? (bound?.port ?? 0) : 0
  const model = await startModelServer({
    script: (request, n) => (request.model === 'judge' ? judge : obedient)(request, n),
  })
  const provider = { provider: 'openai-compatible', baseUrl: model.url, apiKey: 'none' }
  const scripted = { ...provider, model: 'scripted' }
  const folder = await agentFolder({
    'amodal.json': JSON.stringify({
      name: 'desk',
      models: { main: scripted, explore: scripted, simple: { ...provider, model: 'judge' } },
    }),
    'connections/desk/spec.json': JSON.stringify({
      baseUrl: `http://127.0.0.1:${port}`,
      auth: { type: 'bearer', token: 'env:DESK_TOKEN' },
    }),
    '.env': `DESK_TOKEN=${DESK_TOKEN}\n`,
    ...files,
  })
  const { dir } = folder
  return {
    dir,
    /** Requests that the service got. */
    served: () => served,
    answer: (request: string, ...all: readonly ServiceAnswer[]) => {
      answers.set(request, [...all])
    },
    /** Has conversations, one after another; they are stored in the folder. */
    converse: async (all: readonly (readonly Said[])[]) => {
      const started = await startFolder({
        dir,
        env: {},
        preset: 'dev',
        without: ['http', 'log-json'],
      })
      if (!started.ok) throw new Error(explainStart(started.error))
      const { scope } = started.value.kernel
      const sessions: SessionId[] = []
      for (const one of all)
        sessions.push(
          await conversation(scope.get(Agent), one, (body) =>
            giveFeedback(scope.get(Feedback).routes, body),
          ),
        )
      await started.value.close()
      return sessions
    },
    run: async (...argv: readonly string[]) => {
      let [out, problems] = ['', '']
      const code = await main({
        argv: [...argv, '--dir', dir],
        env: {},
        write: (text) => void (out += text),
        fail: (text) => void (problems += text),
        input: (async function* () {})(),
        signal: new AbortController().signal,
      })
      return { code, out, problems }
    },
    close: async () => {
      service.close()
      await model.close()
      await folder.remove()
    },
  }
}

/** A secret that the product knows. */
export const DESK_TOKEN = 'desk-credential-of-acme-7731'

async function giveFeedback(routes: RouteHandler, body: JsonObject): Promise<void> {
  const response = await routes.fetch(
    new Request('http://127.0.0.1/api/feedback', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
    {
      signal: new AbortController().signal,
      identity: LOCAL_IDENTITY,
      caller: () => ok({ tenant: LOCAL_TENANT, principal: LOCAL_IDENTITY.principal, roles: [] }),
    },
  )
  if (!response.ok) throw new Error(await response.text())
}

async function conversation(
  agent: Agent,
  all: readonly Said[],
  rate: (body: JsonObject) => Promise<void>,
): Promise<SessionId> {
  const client = agent.as({ tenant: LOCAL_TENANT, principal: principalId('local') })
  let session: SessionId | undefined
  for (const { answers = [], context, feedback, text } of all) {
    const open = [...answers]
    const sent = await client.ask({
      text,
      ...(context && { context }),
      ...(session !== undefined && { session }),
    })
    if (!sent.ok) throw new Error(`${sent.error.code}: ${sent.error.message}`)
    session = sent.value.session
    const answered = new Set<string>()
    for (;;) {
      const view = await client.session(session)
      if (!view.ok) throw new Error(view.error.message)
      const ask = view.value.asks.find(({ id }) => !answered.has(id))
      if (ask) {
        answered.add(ask.id)
        const done = await client.answer(session, [
          { id: ask.id, answer: open.shift() ?? { approved: true } },
        ])
        if (!done.ok) throw new Error(done.error.message)
      } else if (view.value.state === 'idle' && view.value.entries.at(-1)?.kind === 'run_ended')
        break
      else await new Promise((resolve) => setTimeout(resolve, 5))
    }
    if (feedback) await rate({ session_id: session, ...feedback })
  }
  if (session === undefined) throw new Error('nothing was said')
  return session
}
