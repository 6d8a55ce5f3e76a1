import { defineError } from '@amodal/sdk'

export const OutputBlocked = defineError({
  code: 'OUTPUT_BLOCKED',
  about: 'The reply contained restricted data and was taken back.',
  fix: 'ask for it without restricted data; the log names what was found',
})

export const OutputCut = defineError({
  code: 'OUTPUT_CUT',
  about: 'The reply ends early, since the rest could not be examined in the time allowed.',
  fix: 'ask for less at once, or raise `budget` of guard-output: scanning the reply took too much work',
})
