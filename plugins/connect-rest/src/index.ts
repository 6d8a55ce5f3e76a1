import {
  Clock,
  Commands,
  definePlugin,
  LiveChecks,
  Outbound,
  ScopeSecrets,
  Secrets,
  Tools,
} from '@amodal/sdk'
import { PartStarters } from '@amodal/plugin-repo-files/tokens'
import { z } from 'zod'
import { addContextIssues } from './check-context.ts'
import { credentialsFrom } from './credentials.ts'
import { findEndpointTools } from './documents/find-endpoints.ts'
import { requestTools, restConnections } from './request-tool.ts'
import { RestClient } from './rest-client.ts'
import { ContextMissing } from './errors.ts'
import { connectionStarter } from './starter/connection-starter.ts'
import { driftTools } from './sync/drift-tool.ts'
import { syncCommand } from './sync/sync-command.ts'

export const settings = z.object({
  trustContext: z
    .boolean()
    .default(false)
    .describe(
      'Believe `context` of a message where it says who the user is: for servers that only backends call. Without authentication it is believed anyway',
    ),
  maxDocumentBytes: z.int().positive().default(64_000_000).describe('Bytes of one API document'),
  refreshHours: z
    .number()
    .positive()
    .default(24)
    .describe('Hours after which a document of `specUrl` is fetched again'),
})

/**
 * Calls the HTTP connections of an agent: the tool `request`, with their credentials, limits and
 * API documents.
 */
export const connectRest = definePlugin({
  name: 'connect-rest',
  version: '0.1.0',
  reaches: { hosts: ['*'], secrets: ['*'] },
  errors: [ContextMissing],
  requires: { secrets: Secrets, outbound: Outbound, clock: Clock },
  optional: { scopes: ScopeSecrets },
  after: ['connections'],
  config: settings,
  setup({ config, deps: { secrets, outbound, clock, scopes }, hooks, add, log }) {
    const credentials = credentialsFrom(secrets, scopes)
    const client = new RestClient({
      outbound,
      secrets,
      credentials,
      monotonic: () => clock.monotonic(),
      now: () => clock.now(),
    })
    const documents = { outbound, credentials, maxBytes: config.maxDocumentBytes }
    hooks.bundle.load.tap(async (bundle) => {
      const connections = restConnections(bundle)
      if (connections.length === 0) return undefined
      const { loadDocuments } = await import('./documents/load-documents.ts')
      return loadDocuments(bundle, connections, {
        ...documents,
        log,
        now: () => clock.now(),
        refreshMs: config.refreshHours * 3_600_000,
      })
    })
    hooks.bundle.check.tap((bundle, issues) => addContextIssues(bundle, issues))
    add(Tools, 'connect-rest', {
      tools: (bundle) => [
        ...requestTools(bundle, client, config.trustContext),
        ...findEndpointTools(bundle),
        ...driftTools(bundle, documents),
      ],
    })
    add(PartStarters, 'connection', connectionStarter(documents))
    add(Commands, 'pkg sync', syncCommand(documents))
    add(LiveChecks, 'connect-rest', async (bundle, signal) =>
      (await import('./live-check.ts')).checkLive(bundle, client, signal),
    )
  },
})

export default connectRest
