import { join } from 'node:path'
import { sha256, type SessionId, type TenantId } from '@amodal/sdk'

const SAFE_NAME = /^\w[\w-]{0,127}$/
const digestOf = (text: string): string => sha256(text).slice(0, 32)

/** The folder of a session's workspace below the folder of all. */
export const workspaceFolder = (root: string, tenant: TenantId, session: SessionId): string =>
  join(root, digestOf(tenant), SAFE_NAME.test(session) ? session : digestOf(session))
