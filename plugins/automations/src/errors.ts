import { defineError } from '@amodal/sdk'

export const AutomationPaused = defineError({
  code: 'AUTOMATION_PAUSED',
  status: 409,
  about: 'An event came for an automation that is paused; it is not kept.',
  fix: 'resume it with `amodal ops automations resume NAME`, then have the event sent again',
})

export const AutomationFailed = defineError({
  code: 'AUTOMATION_FAILED',
  status: 500,
  about: 'A run that was waited for has failed.',
  fix: 'look at the run with `amodal ops automations history NAME`, and at its session',
})
