import type { SessionRef } from '@amodal/sdk'

/** One text for a session of a tenant, for tables in memory. */
export const sessionKey = ({ tenant, session }: SessionRef): string => `${tenant}\0${session}`
