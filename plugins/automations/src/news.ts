import { announce, type Generation, type Logger } from '@amodal/sdk'
import { AutomationWaiting } from './waiting.ts'
import type { DeliveryNews } from './delivery/deliverer.ts'
import { sourceOf, type RunNews } from './runner.ts'

/** Says on the event bus and in the log what becomes of a run. */
export function tellRun(generation: Generation, log: Logger, news: RunNews): void {
  const { tenant, automation: name, id, source } = news.run
  const facts = { automation: name, run: id, source }
  switch (news.kind) {
    case 'triggered':
      log.info('automations.triggered', facts)
      return announce(
        generation,
        { type: 'automation_triggered', name, source: sourceOf(source) },
        { tenant },
      )
    case 'skipped':
      return log.info('automations.skipped', { ...facts, why: news.run.error ?? '' })
    case 'waiting': {
      const { session = '' } = news.run
      log.info('automations.waiting', { ...facts, asks: news.asks.length })
      return announce(
        generation,
        AutomationWaiting({ automation: name, run: id, session, asks: news.asks.length }),
        { tenant },
      )
    }
    case 'ended': {
      const { status, at, error = 'the run failed', refused } = news.end
      const durationMs = at - (news.run.startedAt ?? at)
      if (status === 'completed') {
        log.info('automations.completed', { ...facts, durationMs, refused: refused.length })
        return announce(generation, { type: 'automation_completed', name, durationMs }, { tenant })
      }
      log.warn('automations.failed', { ...facts, durationMs, error })
      return announce(
        generation,
        { type: 'automation_failed', name, error, durationMs },
        { tenant },
      )
    }
  }
}

/** The same of a delivery. */
export function tellDelivery(generation: Generation, log: Logger, news: DeliveryNews): void {
  const { delivery, attempt, attempts, status, url } = news
  const facts = {
    automation: delivery.automation,
    targetType: delivery.target.type,
    ...(url !== undefined && { targetUrl: url }),
    ...(attempt.httpStatus !== undefined && { httpStatus: attempt.httpStatus }),
  }
  const audience = { tenant: delivery.tenant }
  if (status === 'delivered')
    return announce(
      generation,
      { type: 'delivery_succeeded', ...facts, durationMs: attempt.ms },
      audience,
    )
  const { error = 'it was not taken' } = attempt
  log.warn('automations.not_delivered', { ...facts, delivery: delivery.id, error, attempts })
  announce(generation, { type: 'delivery_failed', ...facts, error, attempts }, audience)
}
