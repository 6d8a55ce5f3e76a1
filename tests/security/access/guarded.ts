import connectRest from '@amodal/plugin-connect-rest'
import connections from '@amodal/plugin-connections'
import guardAccess from '@amodal/plugin-guard-access'
import loop from '@amodal/plugin-loop'
import outbound from '@amodal/plugin-outbound'
import repoFiles from '@amodal/plugin-repo-files'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import {
  callId,
  hooksOf,
  LOCAL_TENANT,
  NO_USAGE,
  principalId,
  runId,
  sessionId,
  startAgent,
  unwrap,
  use,
  type BundleIssue,
  type JsonObject,
  type RunContext,
} from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { boundOutbound, verdict } from '@amodal/sdk/loop'
import { agentFolder } from '../../support/agent-folder.ts'
import type { AccessConnection, AccessFacts, AccessRequest, Tier } from './cases.ts'

/**
 * An agent whose connections are those of a table, read from files, with the real tool and the real
 * guard.
 */
export interface Guarded extends AsyncDisposable {
  readonly issues: readonly BundleIssue[]
  /** How many connections were read. */
  readonly count: number
  decide(
    connection: AccessConnection,
    request: AccessRequest,
    facts: AccessFacts,
  ): Promise<{ readonly tier: Tier; readonly reasons: string; readonly context: JsonObject }>
}

const NEVER = new AbortController().signal
const NO_LEASE = { remainingMs: () => 1, margin: 0, signal: NEVER }

export async function startGuarded(list: readonly AccessConnection[]): Promise<Guarded> {
  const names = new Map([...new Set(list.map(keyOf))].map((key, n) => [key, `api${n}`]))
  const files = list.flatMap((one): readonly (readonly [string, string])[] => {
    const folder = `connections/${names.get(keyOf(one))}`
    const auth =
      one.authHeader === undefined
        ? {}
        : { auth: { type: 'header', header: one.authHeader, value: 'env:API_KEY' } }
    return [
      [`${folder}/spec.json`, JSON.stringify({ baseUrl: one.base, ...auth })],
      [`${folder}/access.json`, JSON.stringify(one.access)],
    ]
  })
  const { dir, remove } = await agentFolder({
    'amodal.json': '{ "name": "table" }',
    ...Object.fromEntries(files),
  })
  const started = unwrap(
    await startAgent(
      [
        use(secretsEnv, { dir, env: { API_KEY: 'k-1' } }),
        use(repoFiles, { dir }),
        use(outbound),
        use(loop),
        use(sessionsMemory),
        use(connections),
        use(connectRest),
        use(guardAccess),
      ],
      { drainMs: 100, graceMs: 100 },
    ),
    JSON.stringify,
  )
  const { agent, kernel } = started
  const bundle = agent.bundle()
  const request = unwrap(await agent.compiled(), ({ message }) => message).tools.tools.find(
    ({ name }) => name === 'request',
  )
  if (!bundle || !request) throw new Error('there is no tool for connections')
  const { guard } = hooksOf(kernel.current()).tool

  return {
    issues: bundle.issues,
    count: connectionsOf(bundle).length,
    async decide(connection, asked, { delegated, context }) {
      const args = {
        connection: names.get(keyOf(connection)) ?? '',
        ...asked,
      } as unknown as JsonObject // what a model sends: JSON, and not always that
      const action = request.action?.(args, bundle)
      if (!action?.ok) return { tier: 'refused', reasons: action?.error ?? '', context: {} }
      const ctx: RunContext = {
        tenant: LOCAL_TENANT,
        session: sessionId('s'),
        run: runId('r'),
        principal: principalId('me'),
        roles: [],
        delegated,
        context,
        bundle,
        step: 1,
        usage: NO_USAGE,
        lease: NO_LEASE,
        outbound: boundOutbound(() => undefined, { lease: NO_LEASE, signal: NEVER }),
        signal: NEVER,
        log: kernel.current().log,
        scope: kernel.scope,
        progress: () => undefined,
        messages: [],
        sessionState: {},
        redacted: [],
      }
      const said = unwrap(
        await guard.call(
          verdict(),
          { id: callId('c'), tool: request, args, action: action.value },
          ctx,
        ),
        ({ message }) => message,
      )
      return {
        tier: said.level === 'deny' ? 'never' : said.level,
        reasons: said.reasons.join('; '),
        context: said.context,
      }
    },
    async [Symbol.asyncDispose]() {
      await started.close()
      await remove()
    },
  }
}

const keyOf = ({ base, access, authHeader }: AccessConnection): string =>
  JSON.stringify({ base, access, authHeader })
