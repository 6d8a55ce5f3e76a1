import { defineError } from '@amodal/sdk'

export const LoopDetected = defineError({
  code: 'LOOP_DETECTED',
  about: 'The run was ended: it made the same calls again and again, or reviews found no progress.',
  fix: 'say differently what you need; the same calls came again and again',
})
