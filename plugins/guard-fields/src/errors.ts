import { defineError } from '@amodal/sdk'

export const HandleRefused = defineError({
  code: 'HANDLE_REFUSED',
  about:
    'A call uses a redaction handle that this session does not have, or whose value may not be sent to that target.',
  fix: 'send it to the connection it came from, or leave it out',
})

export const ResponseWithheld = defineError({
  code: 'ANSWER_WITHHELD',
  about:
    'A response of a connection may hold restricted fields, and they cannot be removed from it.',
  fix: 'call another endpoint, or have the fields that may pass listed in access.json (allow_fields)',
})
