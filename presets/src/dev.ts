import { use } from '@amodal/sdk'
import adminAgent from '@amodal/plugin-admin-agent'
import agentRuns from '@amodal/plugin-agent-runs'
import assets from '@amodal/plugin-assets'
import auth from '@amodal/plugin-auth'
import automations from '@amodal/plugin-automations'
import chat from '@amodal/plugin-chat'
import clientTools from '@amodal/plugin-client-tools'
import dbPglite from '@amodal/plugin-db-pglite'
import deploy from '@amodal/plugin-deploy'
import erasure from '@amodal/plugin-erasure'
import events from '@amodal/plugin-events'
import feedback from '@amodal/plugin-feedback'
import http from '@amodal/plugin-http'
import inspect from '@amodal/plugin-inspect'
import knowledge from '@amodal/plugin-knowledge'
import limits from '@amodal/plugin-limits'
import logJson from '@amodal/plugin-log-json'
import modelDemo from '@amodal/plugin-model-demo'
import evals from '@amodal/plugin-evals'
import experiments from '@amodal/plugin-experiments'
import notify from '@amodal/plugin-notify'
import ops from '@amodal/plugin-ops'
import pluginManager from '@amodal/plugin-plugin-manager'
import queueDatabase from '@amodal/plugin-queue-database'
import repoFiles from '@amodal/plugin-repo-files'
import repoWatch from '@amodal/plugin-repo-watch'
import rights from '@amodal/plugin-rights'
import sessions from '@amodal/plugin-sessions'
import storesDatabase from '@amodal/plugin-stores-database'
import studio from '@amodal/plugin-studio'
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

/** For those who have a key: enough for a person and their scripts. */
const LENIENT = {
  requests: { perMinute: 6_000, perHour: 200_000 },
  messages: { perMinute: 600, perHour: 10_000 },
  runs: { concurrent: 50 },
}

/** One laptop: embedded database, loopback only, a demo model where no key is set. */
export const dev = definePreset(
  'dev',
  [
    use(logJson, { format: 'pretty' }),
    ...base,
    use(toolsCustom),
    use(workspace),
    use(knowledge, { proposals: 'files' }),
    use(repoFiles),
    use(repoWatch),
    use(deploy),
    use(toolRepos),
    use(adminAgent),
    use(toolsWeb),
    use(modelDemo),
    use(http),
    use(auth, { database: false, warn: false, localToken: true }),
    use(tenant),
    use(limits, LENIENT),
    use(chat),
    use(terminal),
    use(wireAiSdk),
    use(wireAgUi),
    use(wireMcp),
    use(clientTools),
    use(wireOpenai),
    use(wireA2a),
    use(widget, { page: true }),
    use(events),
    use(erasure),
    use(ops),
    use(inspect),
    use(rights),
    use(trace),
    use(pluginManager),
    use(studio),
    use(dbPglite),
    use(queueDatabase),
    use(sessions),
    use(storesDatabase),
    use(assets),
    use(agentRuns),
    use(toolsVersions),
    use(automations),
    use(evals),
    use(experiments, { writeFiles: true }),
    use(feedback),
    use(telemetryOtel),
    use(notify),
    use(usage),
  ],
  protection,
)
export default dev
