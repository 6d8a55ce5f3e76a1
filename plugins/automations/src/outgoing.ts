import type { Agent, PendingAsk } from '@amodal/sdk'
import { payloadOf, waitingPayload } from './payload.ts'
import { newDelivery, type DeliveryRow, type Run, type RunEnd, type RunPlan } from './run.ts'
import type { Outgoing } from './store.ts'

/** What goes out with the end of a run. */
export function outgoingOf(run: Run, plan: RunPlan, end: RunEnd): Outgoing {
  const { delivery, failureAlert } = plan
  if (end.status === 'completed') {
    const payload = JSON.stringify(payloadOf(run, end, delivery?.template))
    const ordered = delivery?.order === 'target'
    return {
      deliveries: (delivery?.targets ?? []).map((target, index) =>
        newDelivery(run, target, { place: `result.${index}`, payload, ordered, now: end.at }),
      ),
    }
  }
  if (!failureAlert) return { deliveries: [] }
  const { error = 'the run failed', ...rest } = end
  const payload = JSON.stringify(payloadOf(run, { ...rest, error }))
  return {
    deliveries: [],
    alert: {
      after: failureAlert.after,
      cooldownMs: failureAlert.cooldownMinutes * 60_000,
      deliveries: failureAlert.targets.map((target, index) =>
        newDelivery(run, target, {
          place: `alert.${index}`,
          payload,
          ordered: false,
          now: end.at,
        }),
      ),
    },
  }
}

/** `proactive.webhook` of the manifest. */
export function proactiveWebhook(agent: Agent): string | undefined {
  const block = agent.bundle()?.manifest.raw['proactive']
  const url = typeof block === 'object' && block !== null && 'webhook' in block && block['webhook']
  return typeof url === 'string' ? url : undefined
}

/** What goes out while a run waits: one message for each question and target. */
export function noticesOf(
  run: Run,
  { delivery }: RunPlan,
  asks: readonly PendingAsk[],
  now: number,
): readonly DeliveryRow[] {
  return asks.flatMap((ask) => {
    const payload = JSON.stringify(waitingPayload(run, ask, now))
    return (delivery?.targets ?? []).map((target, index) =>
      newDelivery(run, target, {
        place: `waiting.${ask.id}.${index}`,
        payload,
        ordered: false,
        now,
      }),
    )
  })
}
