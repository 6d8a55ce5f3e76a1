import {
  Agent,
  ConnectionStatuses,
  definePlugin,
  Health,
  PromptSections,
  RequestLimiter,
  ScopeSecrets,
  Secrets,
  Tools,
  type Connection,
} from '@amodal/sdk'
import { brokenConnectionsOf, connectionsOf } from '@amodal/sdk/connections'
import { standIn } from '@amodal/plugin-loop/tokens'
import { FileSchemas } from '@amodal/plugin-repo-files/tokens'
import { z } from 'zod'
import { describeConnection } from './describe-connection.ts'
import { readConnections } from './read.ts'
import { createRoutes } from './routes.ts'
import { accessSchema } from './schemas/access-schema.ts'
import { specSchema } from './schemas/spec-schema.ts'
import { scopeSecrets } from './scope-secrets.ts'
import { connectionSections, fitsInline } from './section.ts'
import { healthOf, statusesOf } from './status.ts'
import { TRY_ROUTE, TRY_STATE, tryRoutes } from './try-call.ts'

/**
 * Reads what the agent reaches outside, and what it may do there: `connections/` and `mcp.servers`.
 */
export const connections = definePlugin({
  name: 'connections',
  version: '0.1.0',
  reaches: { secrets: ['*'] },
  requires: { secrets: Secrets },
  optional: { agent: Agent, limiter: RequestLimiter },
  provides: [ScopeSecrets],
  config: z.object({
    inlineTokens: z
      .int()
      .min(0)
      .default(12_000)
      .describe('Tokens of the texts of all connections up to which they stand in the prompt'),
    scopes: z
      .record(z.string(), z.record(z.string(), z.string().startsWith('env:')))
      .default({})
      .describe('Secrets of tenants: {"acme": {"CRM_TOKEN": "env:ACME_CRM"}}'),
  }),
  setup({
    config: { inlineTokens, scopes },
    deps: { secrets, agent, limiter },
    hooks,
    provide,
    add,
    log,
    generation,
  }) {
    provide(ScopeSecrets, () => scopeSecrets(secrets, scopes))
    hooks.bundle.load.tap(async (bundle) => {
      const read = await readConnections(bundle, secrets)
      for (const { name, error, file } of brokenConnectionsOf(read))
        log.error('connection.left_out', { connection: name, file, error })
      return read
    })
    // An address is no secret, so it is looked up without becoming one.
    const addressOf = ({ rest }: Connection): string | undefined => {
      const address =
        rest?.baseUrl.startsWith('env:') === true
          ? secrets.get(rest.baseUrl.slice(4))
          : rest?.baseUrl
      const url = URL.parse(address ?? '')
      return url ? `${url.origin}${url.pathname === '/' ? '' : url.pathname}` : undefined
    }
    add(PromptSections, 'connections', {
      sections: (bundle, tools) => connectionSections(bundle, tools, inlineTokens, addressOf),
    })
    add(Tools, 'connections', {
      tools: (bundle) =>
        connectionsOf(bundle).length === 0 || fitsInline(bundle, inlineTokens)
          ? []
          : [describeConnection(bundle)],
    })
    add(ConnectionStatuses, 'connections', statusesOf)
    add(FileSchemas, 'connection', { files: ['connections/*/spec.json'], schema: specSchema })
    add(FileSchemas, 'access', { files: ['connections/*/access.json'], schema: accessSchema })
    add(Health, 'connections', () => healthOf(agent?.bundle()))
    if (agent) {
      const routes = createRoutes(agent, generation)
      const trying = tryRoutes({ agent, generation, limiter })
      hooks.http.routes.tap((table) => {
        table.mount('/inspect/connections', routes)
        table.mount(TRY_ROUTE, trying, { scope: 'ops' })
      })
      hooks.model.open.tap((source, call, ctx) => standIn(TRY_STATE, source, call, ctx), {
        stage: 'last',
      })
    }
  },
})

export default connections
