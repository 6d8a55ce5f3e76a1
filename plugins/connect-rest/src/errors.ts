import { defineError } from '@amodal/sdk'

export const ContextMissing = defineError({
  code: 'CONTEXT_MISSING',
  fix: 'sign in, or send the value in `context`',
})
