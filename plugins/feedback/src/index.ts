import {
  Agent,
  announce,
  Clock,
  Commands,
  Database,
  definePlugin,
  Erasers,
  Migrations,
  OutputRedactor,
  timeLimit,
} from '@amodal/sdk'
import { StudioViews } from '@amodal/plugin-studio/tokens'
import { feedbackCommand } from './command.ts'
import { databaseShelves } from './database-shelf.ts'
import { eraser } from './eraser.ts'
import { FeedbackGiven } from './feedback-given.ts'
import { readOffer } from './feedback-offer.ts'
import { FeedbackService } from './feedback-service.ts'
import { MemoryShelves } from './memory-shelf.ts'
import { MIGRATIONS } from './migrations.ts'
import { feedbackRoutes } from './routes.ts'
import { STUDIO_VIEW, studioRoute } from './studio-view.ts'
import { Feedback } from './tokens.ts'

/** ms in which the feedback of a session that is gone has to go. */
const FORGET_MS = 5_000

/**
 * People say whether an answer was good, and why not: `feedback` of `amodal.json` says which
 * reasons they are offered.
 */
export const feedback = definePlugin({
  name: 'feedback',
  version: '0.1.0',
  requires: { agent: Agent, clock: Clock },
  optional: { database: Database, redactor: OutputRedactor },
  provides: [Feedback],
  events: [FeedbackGiven],
  setup({ deps, provide, add, hooks, generation, log, onDispose }) {
    const { agent, clock, database, redactor } = deps
    const memory = new MemoryShelves()
    const shelfOf = database ? databaseShelves(database) : (tenant: string) => memory.of(tenant)
    if (database) {
      add(Migrations, 'feedback', MIGRATIONS)
      add(Erasers, 'feedback', eraser)
    }
    const service = new FeedbackService({
      agent,
      clock,
      redactor,
      shelfOf,
      tell: (audience, facts) => announce(generation(), FeedbackGiven(facts), audience),
    })

    hooks.bundle.load.tap(readOffer)
    hooks.session.close.tap(async ({ tenant, session }, reason) => {
      if (reason !== 'removed' && reason !== 'expired') return
      const limit = timeLimit(FORGET_MS, 'removing the feedback of a session')
      const removed = await shelfOf(tenant).forget(session, limit)
      if (!removed.ok)
        log.warn('feedback.not_forgotten', { session, message: removed.error.message })
    })

    const routes = feedbackRoutes(service)
    provide(Feedback, () => ({ routes }))
    hooks.http.routes.tap((table) => {
      table.mount('/api/feedback', routes, { scope: 'chat' })
      table.mount('/api/feedback/export', routes, { exact: true, scope: 'feedback' })
      table.mount('/api/feedback/stats', routes, { exact: true, scope: 'feedback' })
      table.mount(STUDIO_VIEW.route, studioRoute(service), { exact: true, scope: 'feedback' })
    })
    add(StudioViews, 'feedback', STUDIO_VIEW)
    add(Commands, 'ops feedback', feedbackCommand)
    onDispose(() => memory.clear())
  },
})

export default feedback
