import { defineError } from '@amodal/sdk'

export const HandleRefused = defineError({
  code: 'HANDLE_REFUSED',
  fix: 'send it to the connection it came from, or leave it out',
})

export const AnswerWithheld = defineError({
  code: 'ANSWER_WITHHELD',
  fix: 'ask another endpoint, or let somebody list in access.json what of this answer may be told (allow_fields)',
})
