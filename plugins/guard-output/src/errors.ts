import { defineError } from '@amodal/sdk'

export const OutputBlocked = defineError({
  code: 'OUTPUT_BLOCKED',
  fix: 'ask for it without restricted data; the log names what was found',
})

export const OutputCut = defineError({
  code: 'OUTPUT_CUT',
  fix: 'ask for less at once, or raise `budget` of guard-output: looking at the reply took too much work',
})
