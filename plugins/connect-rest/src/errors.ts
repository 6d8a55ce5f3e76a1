import { defineError } from '@amodal/sdk'

export const ContextMissing = defineError({
  code: 'CONTEXT_MISSING',
  about:
    'A request to a connection needs a value of the person or of the message, which is not there.',
  fix: 'sign in, or send the value in `context`',
})
