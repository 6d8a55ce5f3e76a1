import { AutomationResults, type DeliveryPayload } from '@amodal/plugin-automations/tokens'
import { definePlugin, failure, type Plugin } from '@amodal/sdk'
import { AmodalError } from './amodal-error.ts'

/** What an automation has come to: `automation`, `status`, `result`, `message`, `data` and more. */
export type AutomationResult = DeliveryPayload
export type AutomationResultHandler = (result: AutomationResult) => unknown

/** One handler for all targets, or one for each `name` of a target. */
export type AutomationResultHandlers =
  | AutomationResultHandler
  | Readonly<Record<string, AutomationResultHandler>>

/** Hands results over to the embedding program. */
export function automationResults(handlers: AutomationResultHandlers): Plugin {
  const named = typeof handlers === 'function' ? [] : Object.entries(handlers)
  for (const [name, handler] of named)
    if (typeof handler !== 'function')
      throw AmodalError.of(
        failure('BAD_CONFIG', `createAgent, \`onAutomationResult.${name}\`: must be a function`),
      )
  return definePlugin({
    name: 'given-automation-results',
    version: '1.0.0',
    provides: [AutomationResults],
    setup({ provide }) {
      provide(AutomationResults, () => ({
        handle: (result, name) => {
          if (typeof handlers === 'function') return handlers(result)
          const handler = Object.hasOwn(handlers, name ?? '') ? handlers[name ?? ''] : undefined
          if (!handler) throw new Error(`there is no handler "${name ?? ''}"`)
          return handler(result)
        },
      }))
    },
  })
}
