import { defineError } from '@amodal/sdk'

export const AuditUnavailable = defineError({
  code: 'AUDIT_UNAVAILABLE',
  about: 'The audit log cannot be written, so a call that it would have to record is refused.',
  fix: 'look at the database or file that the audit log is kept in; nothing is changed until it can be written',
})

export const AuditSignerUnknown = defineError({
  code: 'AUDIT_SIGNER_UNKNOWN',
  about:
    'A finding can only be acknowledged with the key that signs the log, and this agent folder has another one.',
  fix: 'acknowledge the finding in the agent folder whose key signs the log, or give that key as AMODAL_AUDIT_KEY',
})

export const AuditUnsealed = defineError({
  code: 'AUDIT_UNSEALED',
  about:
    'Nobody can be erased: the audit log was written by a release that did not seal it, and it has no seal yet.',
  fix: 'start the server once, and stop it: it seals the audit log that an earlier release has left',
})
