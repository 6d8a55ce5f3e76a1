import loop from '@amodal/plugin-loop'
import { modelOpenaiCompatible } from '@amodal/plugin-model-openai-compatible'
import { outbound } from '@amodal/plugin-outbound'
import { secretsEnv } from '@amodal/plugin-secrets-env'
import { sessionsMemory } from '@amodal/plugin-sessions-memory'
import {
  defineBundle,
  LOCAL_TENANT,
  ok,
  principalId,
  SessionStore,
  startAgent,
  use,
  type AgentEvent,
  type AgentClient,
  type Json,
  type JournalEntry,
  type SessionId,
  type ToolDefinition,
  type RedactedValue,
} from '@amodal/sdk'
import { bundlePlugin, startModelServer, type ModelServer, type Script } from '@amodal/sdk/testing'
import { guardOutput } from '../src/index.ts'

export interface Told {
  readonly session: SessionId
  readonly events: readonly AgentEvent[]
  readonly text: string
}
export interface Scene extends AsyncDisposable {
  readonly model: ModelServer
  as(...roles: readonly string[]): AgentClient
  say(text: string, session?: SessionId, ...roles: readonly string[]): Promise<Told>
  /** The same turn, told again from the journal. */
  again(session: SessionId): Promise<string>
  /** Entries as they are kept. */
  journal(session: SessionId): Promise<readonly JournalEntry[]>
}

interface Options {
  readonly script: Script
  readonly tools?: readonly ToolDefinition[]
  readonly config?: object
  readonly parts?: Readonly<Record<string, Json>>
}

/** An agent with the guard, before a model that says what the script says. */
export async function scene({
  script,
  tools = [],
  config = {},
  parts = {},
}: Options): Promise<Scene> {
  const model = await startModelServer({ script })
  const made = defineBundle({
    name: 'desk',
    userContext: 'See https://docs.desk.example for help.',
    models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
  })
  const bundle = {
    ...made,
    parts,
    manifest: { ...made.manifest, raw: { userContext: 'See https://docs.desk.example for help.' } },
  }
  const given = bundlePlugin(bundle, tools)
  const listed = [
    use(loop),
    use(secretsEnv, { env: {} }),
    use(outbound),
    use(modelOpenaiCompatible),
    use(sessionsMemory),
    use(given),
    use(guardOutput, config, { trusted: true }),
  ]
  const started = await startAgent(listed)
  if (!started.ok) throw new Error(JSON.stringify(started.error))
  const { agent, kernel, close } = started.value
  const as = (...roles: readonly string[]): AgentClient =>
    agent.as({ tenant: LOCAL_TENANT, principal: principalId('me'), roles })
  const read = async (
    frames: AsyncIterable<{ readonly event: AgentEvent }>,
  ): Promise<readonly AgentEvent[]> => {
    const events: AgentEvent[] = []
    for await (const { event } of frames) events.push(event)
    return events
  }
  return {
    model,
    as,
    async say(text, session, ...roles) {
      const sent = await as(...roles).send({ text, ...(session === undefined ? {} : { session }) })
      if (!sent.ok) throw new Error(sent.error.message)
      const events = await read(sent.value.frames)
      return {
        session: sent.value.session,
        events,
        text: events.map((event) => (event.type === 'text_delta' ? event.content : '')).join(''),
      }
    },
    async again(session) {
      const followed = await as().follow(session, { seq: 0, fencingToken: 0, attempt: 0, n: 0 })
      if (!followed.ok) throw new Error(followed.error.message)
      return JSON.stringify(await read(followed.value))
    },
    async journal(session) {
      const stored = await kernel.scope
        .get(SessionStore)
        .entries({ tenant: LOCAL_TENANT, session }, { after: 0 }, AbortSignal.timeout(5_000))
      if (!stored.ok) throw new Error(stored.error.message)
      return stored.value.map(({ body }) => JSON.parse(body) as JournalEntry) // as it is kept
    },
    async [Symbol.asyncDispose]() {
      await close()
      await model.close()
    },
  }
}

/** A tool that gives something away and says what of it is withheld. */
export const gives = (
  name: string,
  output: Json,
  redacted: readonly RedactedValue[] = [],
): ToolDefinition => ({
  name,
  description: name,
  parameters: { type: 'object', properties: { v: {} } },
  parse: (args) => ok(args),
  readOnly: true,
  execute: async () => ({ status: 'success', output, redacted }),
})

export const redacted = (value: string, more: Partial<RedactedValue> = {}): RedactedValue => ({
  value,
  entity: 'Contact',
  field: 'ssn',
  policy: 'never_retrieve',
  sensitivity: 'pii_identifier',
  connection: 'crm',
  ...more,
})
