import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'

const moment = z.iso.datetime()
const text = z.string()

export const AutomationList = z.object({
  automations: z.array(
    z
      .object({
        name: text,
        title: text,
        prompt: text.nullish(),
        schedule: text.optional(),
        timezone: text.optional(),
        trigger: text,
        webhookTriggered: z.boolean(),
        webhookUrl: text.optional(),
        webhookId: text.optional(),
        running: z.boolean(),
        nextRun: moment.optional(),
        lastRun: moment.optional(),
        lastRunStatus: text.optional(),
        lastRunError: text.optional(),
        lastRunSessionId: text.optional(),
      })
      .meta({ id: 'Automation' }),
  ),
})

export const AutomationRun = z
  .object({
    run_id: text,
    source: text,
    due: moment,
    status: text,
    held_until: moment.optional(),
    started_at: moment.optional(),
    waiting_since: moment.optional(),
    ended_at: moment.optional(),
    session_id: text.optional(),
    result: jsonValue.optional(),
    error: text.optional(),
    refused: z.array(jsonValue).optional(),
    automation: text.optional(),
  })
  .meta({ id: 'AutomationRun' })
export const RunList = z.object({ runs: z.array(AutomationRun) })
export const RunAccepted = z.object({
  status: z.literal('accepted'),
  automation: text,
  run_id: text,
})
export const Switched = z.object({ status: z.enum(['stopped', 'started']), automation: text })
export const DueTimes = z.object({ next: z.array(moment) })
export const Redriven = z.object({ redriven: jsonValue })

export const DeliveryList = z.object({
  deliveries: z.array(
    z
      .object({
        id: text,
        run_id: text,
        target: z.looseObject({ type: text }),
        status: z.enum(['pending', 'delivered', 'dead']),
        attempts: z.number(),
        created_at: moment,
        ended_at: moment.optional(),
        error: text.optional(),
      })
      .meta({ id: 'Delivery' }),
  ),
})
export const DeliveryAttempts = z.object({
  attempts: z.array(
    z.object({
      at: moment,
      duration_ms: z.number(),
      http_status: z.number().optional(),
      error: text.optional(),
      body: text.optional(),
    }),
  ),
})
