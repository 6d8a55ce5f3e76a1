import { guardOutput } from '@amodal/plugin-guard-output'
import loop from '@amodal/plugin-loop'
import { modelOpenaiCompatible } from '@amodal/plugin-model-openai-compatible'
import { outbound } from '@amodal/plugin-outbound'
import { secretsEnv } from '@amodal/plugin-secrets-env'
import { sessionsMemory } from '@amodal/plugin-sessions-memory'
import {
  defineBundle,
  RedactionHandles,
  LOCAL_TENANT,
  ok,
  principalId,
  startAgent,
  use,
  type AccessRules,
  type Action,
  type AgentEvent,
  type Connection,
  type FieldRestriction,
  type Json,
  type JsonObject,
  type SessionId,
  type ToolDefinition,
  type ToolResult,
} from '@amodal/sdk'
import { bundlePlugin, reply, startModelServer, type ScriptedToolCall } from '@amodal/sdk/testing'
import { guardFields } from '../src/index.ts'

/** What the connection answers to an action. */
export type Answers = (action: Action) => ToolResult

export interface World extends AsyncDisposable {
  /** Calls that the model makes, as what it is told of each, with the events of the turn. */
  calls(
    session: SessionId | undefined,
    roles: readonly string[],
    ...calls: readonly JsonObject[]
  ): Promise<Answered>
  /** What the connection was sent, handles put back. */
  readonly sent: readonly string[]
}
export interface Answered {
  readonly session: SessionId
  readonly told: readonly string[]
  readonly events: readonly AgentEvent[]
  readonly journal: string
}

const restricted = (
  entity: string,
  field: string,
  policy: FieldRestriction['policy'],
  more: Partial<FieldRestriction> = {},
): FieldRestriction => ({
  entity,
  field,
  policy,
  sensitivity: 'pii_identifier',
  allowedRoles: [],
  ...more,
})

export const RESTRICTIONS: readonly FieldRestriction[] = [
  restricted('Contact', 'ssn', 'never_retrieve'),
  restricted('Contact', 'email', 'retrieve_but_redact', { allowedRoles: ['privacy'] }),
  restricted('Contact', 'home_address.street', 'never_retrieve'),
  restricted('Deal', 'internal_notes', 'role_gated', {
    allowedRoles: ['supervisor'],
    sensitivity: 'internal',
  }),
]

const access: AccessRules = {
  rules: [
    ['GET', '/contacts/{id}', ['Contact']],
    ['GET', '/deals', ['Deal']],
    ['GET', '/orders', ['Order']],
    ['CALL', 'find_contact', ['Contact']],
    ['GET', '/cards/{id}', ['Contact'], ['id', 'plan', 'address.city', 'remark', 'ssn']],
    ['GET', '/texts/{id}', ['Contact'], ['*']],
  ].map(([method, path, returns, allowFields]) => ({
    method: String(method),
    path: String(path),
    tier: 'allow' as const,
    returns: returns as readonly string[],
    thresholds: [],
    ...(allowFields !== undefined && { allowFields: allowFields as readonly string[] }),
  })),
  fallback: { read: 'allow', write: 'confirm' },
  fieldRestrictions: RESTRICTIONS,
  rowScoping: [],
  delegations: { enabled: false, escalateConfirm: false },
  alternativeLookups: [],
}
const connection = (name: string): Connection => ({
  name,
  protocol: 'rest',
  spec: {},
  access,
  accessGiven: true,
  surface: '',
  entities: '',
  rules: '',
  file: '',
})

/** An agent with the scrubber, and a tool that asks a connection which answers as the test says. */
export async function world(answers: Answers): Promise<World> {
  const sent: string[] = []
  const actionOf = (args: JsonObject): Action => {
    const method = textOf(args['method'], 'GET')
    return {
      connection: textOf(args['connection'], 'crm'),
      protocol: method === 'CALL' ? 'mcp' : 'rest',
      method,
      path: textOf(args['path'], '/'),
      base: '/api',
      query: {},
      headers: {},
      ...(args['body'] === undefined ? {} : { body: args['body'] }),
      effect: method === 'GET' || method === 'QUERY' ? 'read' : 'write',
    }
  }
  const request: ToolDefinition = {
    name: 'request',
    description: 'Asks a connection',
    parameters: { type: 'object', properties: { path: {} } },
    parse: (args) => ok(args),
    readOnly: false,
    action: (args) => ok(actionOf(args)),
    execute: async (_args, ctx) => {
      const revealed = ctx.scope
        .get(RedactionHandles)
        .reveal(JSON.stringify(ctx.action?.body ?? ''), ctx)
      if (!revealed.ok)
        return { status: 'error', code: revealed.error.code, message: revealed.error.message }
      sent.push(revealed.value)
      return ctx.action ? answers(ctx.action) : { status: 'error', message: 'no action' }
    },
  }
  const lookup: ToolDefinition = {
    ...request,
    name: 'lookup',
    uses: ['request'],
    readOnly: true,
    action: () => ok({ ...actionOf({}), connection: 'none' }),
    execute: async (args, ctx) => ({
      status: 'success',
      output: { inner: (await ctx.call({ name: 'request', args })) as unknown as Json },
    }), // a result is plain data
  }
  const model = await startModelServer({
    script: ({ messages }) => {
      const last = messages.at(-1)
      if (last?.role === 'tool') return reply.text('Done.')
      return reply.toolCalls(JSON.parse(textOf(last?.content)) as ScriptedToolCall[])
    },
  })
  const made = defineBundle({
    name: 'desk',
    models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
  })
  const bundle = {
    ...made,
    parts: { connections: [connection('crm'), connection('mail')] as unknown as Json },
  } // plain data
  const given = bundlePlugin(bundle, [request, lookup])
  const listed = [
    use(loop),
    use(secretsEnv, { env: {} }),
    use(outbound),
    use(modelOpenaiCompatible),
    use(sessionsMemory),
    use(given),
    use(guardFields),
    use(guardOutput, {}, { trusted: true }),
  ]
  const started = await startAgent(listed)
  if (!started.ok) throw new Error(JSON.stringify(started.error))
  const { agent, close } = started.value
  return {
    sent,
    async calls(session, roles, ...calls) {
      const face = agent.as({ tenant: LOCAL_TENANT, principal: principalId('me'), roles })
      const text = JSON.stringify(
        calls.map(({ tool = 'request', ...args }) => ({ name: tool, arguments: args })),
      )
      const asked = await face.send({ text, ...(session === undefined ? {} : { session }) })
      if (!asked.ok) throw new Error(asked.error.message)
      const events: AgentEvent[] = []
      for await (const { event } of asked.value.frames) events.push(event)
      const view = await face.session(asked.value.session)
      if (!view.ok) throw new Error(view.error.message)
      const messages = model.requests.at(-1)?.body.messages ?? []
      const told = messages
        .slice(messages.findLastIndex(({ role }) => role === 'user'))
        .filter(({ role }) => role === 'tool')
        .map(({ content }) => textOf(content))
      return {
        session: asked.value.session,
        told,
        events,
        journal: JSON.stringify(view.value.entries),
      }
    },
    async [Symbol.asyncDispose]() {
      await close()
      await model.close()
    },
  }
}

const textOf = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' ? value : otherwise

export const success = (output: Json): ToolResult => ({ status: 'success', output })
