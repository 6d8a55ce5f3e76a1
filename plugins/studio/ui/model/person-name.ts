import type { Me } from './server.ts'

/** The person on this machine, as `/api/me` and as the journal name them. */
const LOCAL_ID = 'local-dev'
const LOCAL = 'local'

/** Whose something is: `you`, or the id of somebody else. */
export const personName = ({ id }: Me, by: string): string =>
  by === id || (id === LOCAL_ID && by === LOCAL) ? 'you' : by
