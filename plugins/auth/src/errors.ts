import { defineError } from '@amodal/sdk'

export const IssuerUnavailable = defineError({
  code: 'ISSUER_UNAVAILABLE',
  status: 503,
  about: 'The keys of an issuer of tokens cannot be fetched, so no token of it can be verified.',
  fix: 'check the address of the issuer, and that it can be reached; then try again',
})
