import { defineError } from '@amodal/sdk'

export const AuditUnavailable = defineError({
  code: 'AUDIT_UNAVAILABLE',
  fix: 'look at the database or file that the audit log is kept in; nothing is changed until it can be written',
})
