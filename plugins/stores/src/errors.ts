import { defineError } from '@amodal/sdk'

export const StoreConflict = defineError({
  code: 'STORE_CONFLICT',
  status: 412,
  about: 'The document has changed since the version that the writer has seen.',
  fix: 'read the document again, and write with its version',
})
