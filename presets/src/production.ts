import { use } from '@amodal/sdk'
import agentRuns from '@amodal/plugin-agent-runs'
import assets from '@amodal/plugin-assets'
import auth from '@amodal/plugin-auth'
import automations from '@amodal/plugin-automations'
import chat from '@amodal/plugin-chat'
import clientTools from '@amodal/plugin-client-tools'
import dbPostgres from '@amodal/plugin-db-postgres'
import deploy from '@amodal/plugin-deploy'
import erasure from '@amodal/plugin-erasure'
import events from '@amodal/plugin-events'
import feedback from '@amodal/plugin-feedback'
import http from '@amodal/plugin-http'
import inspect from '@amodal/plugin-inspect'
import knowledge from '@amodal/plugin-knowledge'
import limits from '@amodal/plugin-limits'
import logJson from '@amodal/plugin-log-json'
import evals from '@amodal/plugin-evals'
import experiments from '@amodal/plugin-experiments'
import notify from '@amodal/plugin-notify'
import ops from '@amodal/plugin-ops'
import pluginManager from '@amodal/plugin-plugin-manager'
import queueDatabase from '@amodal/plugin-queue-database'
import repoFiles from '@amodal/plugin-repo-files'
import rights from '@amodal/plugin-rights'
import sessions from '@amodal/plugin-sessions'
import storesDatabase from '@amodal/plugin-stores-database'
import telemetryOtel from '@amodal/plugin-telemetry-otel'
import tenant from '@amodal/plugin-tenant'
import terminal from '@amodal/plugin-terminal'
import toolRepos from '@amodal/plugin-tool-repos'
import toolsCustom from '@amodal/plugin-tools-custom'
import toolsVersions from '@amodal/plugin-tools-versions'
import toolsWeb from '@amodal/plugin-tools-web'
import trace from '@amodal/plugin-trace'
import usage from '@amodal/plugin-usage'
import wireAgUi from '@amodal/plugin-wire-ag-ui'
import wireAiSdk from '@amodal/plugin-wire-ai-sdk'
import wireMcp from '@amodal/plugin-wire-mcp'
import widget from '@amodal/plugin-widget'
import wireA2a from '@amodal/plugin-wire-a2a'
import wireOpenai from '@amodal/plugin-wire-openai'
import workspace from '@amodal/plugin-workspace'
import { base } from './base.ts'
import { definePreset } from './define-preset.ts'
import { protection } from './guards.ts'

/**
 * Many instances on one Postgres. No demo model: without a key it says so. Code of the agent runs
 * only where a start has proved that it is kept apart.
 */
export const production = definePreset(
  'production',
  [
    use(logJson),
    ...base,
    use(toolsCustom, { isolation: 'required' }),
    use(workspace),
    use(knowledge, { proposals: 'tenant' }),
    use(repoFiles),
    use(deploy),
    use(toolRepos),
    use(toolsWeb),
    use(http),
    use(auth),
    use(tenant),
    use(limits),
    use(chat),
    use(terminal),
    use(wireAiSdk),
    use(wireAgUi),
    use(wireMcp),
    use(clientTools),
    use(wireOpenai),
    use(wireA2a),
    use(widget),
    use(events),
    use(erasure),
    use(ops),
    use(inspect),
    use(rights),
    use(trace),
    use(pluginManager),
    use(dbPostgres, { url: 'env:DATABASE_URL' }),
    use(queueDatabase),
    use(sessions),
    use(storesDatabase),
    use(assets),
    use(agentRuns),
    use(toolsVersions),
    use(automations),
    use(evals),
    use(experiments),
    use(feedback),
    use(telemetryOtel, { prometheus: true }),
    use(notify),
    use(usage),
  ],
  { ...protection, pinned: [...protection.pinned, 'auth', 'tenant', 'limits'] },
)
export default production
