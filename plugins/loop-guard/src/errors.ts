import { defineError } from '@amodal/sdk'

export const LoopDetected = defineError({
  code: 'LOOP_DETECTED',
  fix: 'say differently what you need; the same calls came again and again',
})
