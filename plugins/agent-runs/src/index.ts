import {
  Agent,
  Clock,
  Commands,
  Database,
  definePlugin,
  Erasers,
  failure,
  JobQueue,
  Migrations,
  Outbound,
  OutputRedactor,
  RequestLimiter,
  Sealer,
  Secrets,
  SessionStore,
  systemClock,
  type RouteHandler,
} from '@amodal/sdk'
import { Inventories } from '@amodal/sdk/inspection'
import { failed } from '@amodal/plugin-http/tokens'
import { StudioViews } from '@amodal/plugin-studio/tokens'
import { ArtifactLinks } from './artifact-links.ts'
import { ArtifactService } from './artifact-service.ts'
import { ArtifactTable } from './artifact-table.ts'
import { createRoutes } from './app.ts'
import { artifactTools } from './artifact-tools.ts'
import { askForm } from './ask-form.ts'
import { agentsCommand } from './command.ts'
import { eraser } from './eraser.ts'
import { ERRORS } from './errors.ts'
import { MIGRATIONS } from './migrations.ts'
import { Profiles } from './profiles.ts'
import { ProfileView } from './profile-view.ts'
import { ProviderDelays } from './provider-delays.ts'
import { RunEnd } from './run-end.ts'
import { RunJobs } from './run-jobs.ts'
import { RunNews } from './run-news.ts'
import { workOnQueues } from './run-queues.ts'
import { RunReader } from './run-reader.ts'
import { runRoutes } from './run-routes.ts'
import { RunService } from './run-service.ts'
import { RunStreams } from './run-stream.ts'
import { RunTable } from './run-table.ts'
import { tapProfiles, tapProgress } from './run-taps.ts'
import { RunWorker } from './run-worker.ts'
import { Settings } from './settings.ts'
import { Runs } from './tokens.ts'
import { STUDIO_VIEW } from './studio-view.ts'
import { Webhooks } from './webhook.ts'

/** Without one no run would outlive its process. */
const WITHOUT_DATABASE: RouteHandler = {
  fetch: () =>
    failed(failure('DATABASE_UNAVAILABLE', 'runs need a database, and this agent has none')),
}

/**
 * Agent runs: sessions that are started with a task and a profile, worked on by the job queue, and
 * followed, resumed and cancelled over REST and MCP.
 *
 * @example
 * use(agentRuns, { profiles: [{ id: 'researcher', tools: ['search_*'], maxTurns: 20 }] })
 */
export const agentRuns = definePlugin({
  name: 'agent-runs',
  version: '0.1.0',
  // the queue has one worker of a queue in a process
  reload: 'exclusive',
  requires: {
    agent: Agent,
    queue: JobQueue,
    sessions: SessionStore,
    outbound: Outbound,
    sealer: Sealer,
    secrets: Secrets,
  },
  // not there where somebody only looks at the agent, without its data
  optional: { database: Database, limiter: RequestLimiter, clock: Clock },
  config: Settings,
  provides: [Runs],
  errors: ERRORS,
  setup({ add, config, deps, generation, hooks, log, onBoot, provide }) {
    const { agent, database, sessions } = deps
    const configured = config.profiles.map(({ name, ...profile }) => ({
      ...profile,
      name: name ?? profile.id,
    }))
    const profiles = new Profiles(configured, generation)
    add(Inventories, 'run_profiles', profiles)
    add(Commands, 'agents', agentsCommand)
    if (!database) {
      provide(Runs, () => ({ routes: WITHOUT_DATABASE }))
      return log.debug('agent_runs.without_database')
    }
    const clock = deps.clock ?? systemClock
    const jobs = new RunJobs(deps.queue)
    const table = new RunTable(database, jobs.startIn)
    const news = new RunNews(database)
    const delays = new ProviderDelays()
    const reader = new RunReader(agent, table, news)
    const { providerRetries } = config
    const end = new RunEnd({ agent, table, jobs, news, providerRetries })
    const worker = new RunWorker({ agent, clock, table, reader, end, jobs, news, delays })
    const artifacts = new ArtifactTable(database, config.artifacts)
    const { linkSeconds, publicUrl } = config.artifacts
    const artifactService = new ArtifactService({
      artifacts,
      clock,
      links: new ArtifactLinks({ clock, sealer: deps.sealer, publicUrl }),
      linkSeconds,
      redactor: () => generation().scope.find(OutputRedactor),
    })
    const service = new RunService({
      agent,
      artifacts,
      artifactService,
      end,
      jobs,
      limiter: deps.limiter,
      log,
      profiles,
      reader,
      table,
      waitSeconds: config.waitSeconds,
      hasLinks: publicUrl !== undefined,
      hasWebhooks: config.webhooks.secret !== undefined,
    })
    const sources = { artifacts, artifactService, clock, reader, table }
    const webhooks = new Webhooks({ ...deps, ...config.webhooks, ...sources })
    const streams = new RunStreams({ ...config.stream, end, reader, service })
    const view = new ProfileView(() => [...artifactTools(artifacts, sessions), askForm])

    add(Migrations, 'agent-runs', MIGRATIONS)
    add(StudioViews, 'agent-runs', STUDIO_VIEW)
    add(Erasers, 'agent-runs', eraser)
    const { maxTaskChars } = config
    const app = { service, artifactService, streams, maxTaskChars }
    const routes = createRoutes(app)
    provide(Runs, () => ({ routes }))
    hooks.http.routes.tap(runRoutes(routes, app))

    const parts = { delays, jobs, news, profiles, view, worker }
    tapProfiles(hooks, parts)
    tapProgress(hooks, parts)
    hooks.session.close.tap(async ({ tenant, session }, reason) => {
      if (reason === 'removed') await table.forget({ tenant, session })
    })

    onBoot(() =>
      workOnQueues(
        { jobs, log, news, queue: deps.queue, sessions, table, webhooks, worker },
        {
          concurrency: config.concurrency,
          perTenant: config.perTenant,
          perProfile: () => profiles.limits(agent.bundle()),
        },
      ),
    )
  },
})

export default agentRuns
