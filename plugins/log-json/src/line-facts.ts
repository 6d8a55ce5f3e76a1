import { registry, type SessionId } from '@amodal/sdk'

/** Facts for lines about a session, such as the trace of its run; `undefined` for none. */
export type LineFacts = (session: SessionId) => Readonly<Record<string, string>> | undefined

/** Who adds facts to lines about a session. Called for each such line, so it must be cheap. */
export const LineFacts = registry<LineFacts>('line-facts')
