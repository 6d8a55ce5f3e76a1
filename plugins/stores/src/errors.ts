import { defineError } from '@amodal/sdk'

export const StoreConflict = defineError({
  code: 'STORE_CONFLICT',
  status: 412,
  about: 'The document has changed since the version that the writer has seen.',
  fix: 'read the document again, and write with its version',
})

export const StoreReadOnly = defineError({
  code: 'STORE_READ_ONLY',
  status: 403,
  about: 'A caller writes documents that it may only read.',
  fix: 'write as somebody whose role may change these documents',
})
