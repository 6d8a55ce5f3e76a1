import { defineError } from '@amodal/sdk'

export const ResponseMismatch = defineError({
  code: 'RESPONSE_MISMATCH',
  status: 502,
  about:
    'The answer does not fit the JSON Schema of the request, also after the model was told what is wrong with it.',
  fix: 'describe the fields in the schema, require less, or use another model',
})
