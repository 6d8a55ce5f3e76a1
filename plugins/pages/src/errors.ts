import { defineError } from '@amodal/sdk'

export const StoreUndeclared = defineError({
  code: 'STORE_UNDECLARED',
  status: 403,
  about: 'A page asked for a store that it does not declare.',
  fix: 'add the store to `stores` of the page',
})
